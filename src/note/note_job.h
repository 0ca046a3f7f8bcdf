/* The job of notes. */
#ifndef LOCI_NOTE_JOB_H
#define LOCI_NOTE_JOB_H

#include "job.h"

extern const struct job subject_notes_job;

#endif
