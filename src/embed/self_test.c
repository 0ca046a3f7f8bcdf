/* The self-test of a model: what its cosines mean for questions and texts that answer them, and for texts that have nothing in common. */
#include "embed.h"

#include <stdlib.h>

#define PAIRS 96
#define OTHERS 64 /* unrelated texts, of which a question meets the best */

/* Talk, teams, tools, facts, instructions. No two are about the same. */
static const struct self_test_pair {
    const char *question, *answer;
} SELF_TEST[PAIRS] = {
    {"When does the harbour office open?", "Opening hours of the harbour office are from eight to noon, Sundays excepted."},
    {"Who is allergic to peanuts?", "Mira: I have to be careful with cakes, peanuts make my throat swell."},
    {"Which port does the staging database listen on?", "The staging database was moved to port 6543 after the audit."},
    {"What did Jonas give his sister for her birthday?", "Jonas: I got her a telescope, she had wished for one since she turned ten."},
    {"How do I reset the coffee machine?",
     "Hold both buttons of the coffee machine for five seconds until the light turns green, then let it rinse."},
    {"Why was the release of March postponed?", "The March release slipped by two weeks because the payment tests kept failing."},
    {"Where did the company offsite take place?", "We all met at a lake near Graz for this year's offsite."},
    {"Which tool converts currencies?", "exchange_rates: takes an amount and two currency codes and returns the converted sum of today."},
    {"Who composed the opera about the flying ship?", "The opera, whose hero sails a cursed ship, was written by Richard Wagner in 1841."},
    {"What is the capital of Mongolia?", "Ulaanbaatar is the capital and by far the largest city of Mongolia."},
    {"Does green tea lower blood pressure?", "In a trial with 120 adults, daily green tea reduced systolic blood pressure by two points."},
    {"How long did the marathon take Elena?", "Elena: four hours and six minutes! My legs are gone, but I finished my first marathon."},
    {"Which language is the billing service written in?", "Billing was rewritten in Go last year; only the reports are still Python."},
    {"What should I do when the VPN does not connect?",
     "If the VPN hangs, sign out, delete the old profile and import the new one from the wiki."},
    {"What breed is Tom's dog?", "Tom: our Biscuit is half beagle, half something very stubborn."},
    {"Find me flights from Lisbon to Oslo", "flight_search: lists connections between two airports on a given day, with prices and stops."},
    {"Who owns the deployment pipeline?", "The platform team around Priya is responsible for the pipeline and its secrets."},
    {"What is photosynthesis?",
     "Plants turn light, water and carbon dioxide into sugar and oxygen; this process is called photosynthesis."},
    {"When was the old bridge destroyed?", "The stone bridge of the town fell during the flood of 1954 and was never rebuilt."},
    {"Which painting did the museum buy?", "For its new wing the museum acquired a landscape with cows by Cuyp."},
    {"How many people attended the concert?", "Some nine hundred visitors came to the open-air concert despite the rain."},
    {"What is Sara studying?", "Sara: second term of marine biology, and I already love the lab."},
    {"Why did the cache run out of memory?", "Keys were stored without an expiry, so the cache grew until its limit was hit."},
    {"What is our policy for refunds?", "Customers get their money back within thirty days if the goods are unused."},
    {"Remind me of the wifi password of the cabin",
     "In the cabin the wireless network is called Otter and its password is on the fridge: sevenpines."},
    {"Which vitamin prevents scurvy?", "Scurvy is caused by a lack of vitamin C and disappears when it is given."},
    {"Who won the chess tournament of the club?", "After nine rounds Nadia was first in the club's chess tournament, half a point ahead."},
    {"What can translate a document into Japanese?",
     "doc_translate: translates uploaded files between forty languages and keeps their layout."},
    {"How should commits be named?", "Write commit subjects in the imperative and put the ticket number at the end."},
    {"Where does Ahmed's grandmother live?", "Ahmed: my grandma still has her little house in Essaouira, close to the sea."},
    {"What is the melting point of tin?", "Tin melts at 232 degrees Celsius, which makes it useful for solder."},
    {"Which customers complained about the invoice layout?",
     "Two clients, Norwood and Peltier, wrote that they cannot read the new invoices."},
    {"Who directed the film about the lighthouse keepers?",
     "The Lighthouse is a film of 2019 by Robert Eggers with two actors in a storm."},
    {"What time zone do the servers use?", "All machines keep UTC; only the dashboards show local time."},
    {"Did Lena find a new flat?", "Lena: guess what, we signed the lease yesterday! Three rooms and a balcony."},
    {"How is sourdough started?",
     "Mix flour and water, leave it warm for five days and feed it every morning: that is a sourdough starter."},
    {"How fast can a cheetah run?", "Over short distances the cheetah reaches more than a hundred kilometres an hour."},
    {"Which index speeds up the orders query?",
     "Adding an index on customer and date brought the orders query from nine seconds to forty milliseconds."},
    {"What did the board decide about the office in Porto?", "Decision of the board: the Porto branch is closed at the end of the year."},
    {"Can exercise help against migraine?",
     "Patients who cycled three times a week reported fewer migraine attacks than the control group."},
    {"Who broke the build on Friday?", "Friday's build failed after Oskar merged the new parser without its fixtures."},
    {"Set an alarm for half past six", "alarm_clock: creates, lists and removes alarms at a given time of day."},
    {"What instrument does Mei play?", "Mei: I practise the cello for an hour before work, the neighbours have stopped complaining."},
    {"What caused the great fire of the city?", "The fire that burned the old town began in a bakery and spread with the wind."},
    {"What are the ingredients of pesto?", "Basil, pine nuts, garlic, parmesan and olive oil are crushed in a mortar to make pesto."},
    {"How do I apply for parental leave?", "Parental leave is requested from human resources at least seven weeks before it begins."},
    {"Which river flows through Baghdad?", "The Tigris divides Baghdad into two halves."},
    {"What did Carlos think of the novel?", "Carlos: honestly the book dragged, I only liked the ending."},
    {"Where are backups stored?", "Each night a copy of the data goes to cold storage in a second region."},
    {"Which app shows the weather radar?", "rain_map: shows precipitation of the last two hours on a map and a forecast of the next."},
    {"Who discovered penicillin?", "In 1928 Alexander Fleming noticed that a mould killed bacteria; he called the substance penicillin."},
    {"When is the next dentist appointment?", "The dentist moved my check-up to the ninth of May, quarter past ten."},
    {"Why do we not use semaphores in the scheduler?",
     "Semaphores were dropped from the scheduler because killed workers left them locked."},
    {"What colour is the new car of the Petersons?", "The Petersons came by in their new car, a bright yellow one."},
    {"Does zinc shorten a cold?", "Zinc lozenges taken within a day shortened the common cold by about a third in this meta-analysis."},
    {"How many moons does Mars have?", "Phobos and Deimos are the two small moons of Mars."},
    {"What is the budget for the garden project?", "For the garden we have set aside four thousand euros, plants included."},
    {"Resize all images in a folder", "batch_image: scales, crops and converts many pictures at once."},
    {"Who takes care of the plants during the holidays?", "Ruth: no worries, I will water your plants while you are away."},
    {"What does error 4031 of the scanner mean?", "Code 4031 says that the scanner's glass is dirty or its lamp is too old."},
    {"When did women get the vote in Finland?", "Finland was the first country of Europe where women could vote, from 1906 on."},
    {"What makes bread rise?", "Yeast eats sugar and gives off gas, which lifts the dough."},
    {"How should passwords be rotated?", "Secrets of services are renewed every ninety days by the vault and never by hand."},
    {"Who proposed to Hanna?", "Hanna: Felix asked me on the top of the mountain, and I said yes!"},
    {"Which team did Diego play for as a child?", "Diego grew up playing football for the youth side of Rosario."},
    {"What is the tallest building in Dubai?", "At 828 metres the Burj Khalifa in Dubai is the highest tower of the world."},
    {"How can I export my contacts?", "Open the address book, choose all entries, then save them as a file with commas."},
    {"What was agreed with the supplier of screws?",
     "The screw supplier now delivers every second Tuesday and gives four percent discount."},
    {"Summarise a long article for me", "text_digest: reads a web page or a text and returns its main points in a few sentences."},
    {"Why does the moon have phases?", "The part of the moon that the sun lights changes as seen from the earth, hence its phases."},
    {"What is Yuki afraid of?", "Yuki: please no lifts, I panic in small closed rooms."},
    {"Which browser versions do we support?", "Our front end must work in the last two releases of each large browser."},
    {"Do bees sleep?", "Worker bees rest at night without moving, and their body temperature falls, a state like sleep."},
    {"How was the leak in the cellar repaired?", "A plumber sealed the cracked pipe, and the cellar has been dry since."},
    {"What is the title of Amara's thesis?", "Amara handed in her thesis, it is called Trade Routes of the Sahel."},
    {"Where can I park near the theatre?", "Behind the theatre there is a garage with three levels, open until midnight."},
    {"Which metric triggers the pager?", "An alert wakes the engineer on duty when one percent of requests fail for five minutes."},
    {"What did the first computers weigh?", "Early electronic computers filled whole rooms and weighed up to thirty tons."},
    {"Is aspirin safe during pregnancy?", "Low doses of aspirin did not harm mothers or babies in a study of pregnant women at risk."},
    {"Track my parcel", "shipment_status: tells where a parcel is by its number and carrier."},
    {"How did Vera hurt her knee?", "Vera: I slipped on the ice in front of the school and twisted my knee badly."},
    {"What replaced the message queue?", "Instead of the old queue the services now read events from a log."},
    {"Which treaty ended the Thirty Years' War?", "The Peace of Westphalia was signed in 1648 and finished three decades of war."},
    {"What should guests bring to the barbecue?", "For the barbecue everybody brings a salad or drinks, we have the meat."},
    {"How do penguins keep warm?", "Dense feathers, a layer of fat and standing close together protect penguins against the cold."},
    {"Who may approve holidays?", "Time off is confirmed by the direct manager, or by her deputy."},
    {"What is the default timeout of the gateway?",
     "Requests through the gateway are cut off after thirty seconds unless a route says otherwise."},
    {"What is Nikhil's favourite dish?", "Nikhil: nothing beats my aunt's lamb biryani."},
    {"Split a bill among friends", "share_costs: divides an amount between people and says who owes whom."},
    {"Why are flamingos pink?", "Pigments from the shrimps they eat colour the feathers of flamingos."},
    {"Which contract expires in autumn?", "The lease for the warehouse ends on the thirtieth of September."},
    {"What did the doctor say about Paul's back?",
     "Paul: the doctor told me to swim and to stop lifting boxes, otherwise my back will not heal."},
    {"How is the search index rebuilt?", "Run the rebuild task at night; it writes a second index and swaps them when it is complete."},
    {"Who invented the telephone?", "Alexander Graham Bell received a patent for the telephone in 1876."},
    {"What is the dress code of the gala?", "Guests of the gala are asked to come in evening wear."},
    {"How much sugar is in honey?", "Honey consists of sugars to about four fifths; the rest is mostly water."},
};

static double self_test_cosine(const struct embedded *e, size_t a, size_t b)
{
    double sum = 0;

    for (size_t i = 0; i < e->dim; i++)
        sum += (double)e->vectors[a * e->dim + i] * (double)e->vectors[b * e->dim + i];
    return sum;
}

static int self_test_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The one that stands so far in the order of all: 0.5 is the median. */
static double self_test_quantile(double *v, size_t n, double share)
{
    qsort(v, n, sizeof *v, self_test_compare);
    return v[(size_t)(share * (double)n)];
}

static double self_test_nearest_other(const struct embedded *e, size_t question)
{
    double best = -1, cosine;

    for (size_t i = 1; i <= OTHERS; i++) {
        cosine = self_test_cosine(e, question, PAIRS + (question + i) % PAIRS);
        best = cosine > best ? cosine : best;
    }
    return best;
}

static struct embed_scale self_test_scale(struct arena *a, const struct embedded *e)
{
    double *own = ARENA_ARRAY(a, double, PAIRS), *other = ARENA_ARRAY(a, double, PAIRS);
    double *random = ARENA_ARRAY(a, double, PAIRS *PAIRS), sum = 0;
    struct embed_scale s;
    size_t n = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        own[i] = self_test_cosine(e, i, PAIRS + i);
        other[i] = self_test_nearest_other(e, i);
        for (size_t k = 0; k < i; k++)
            sum += random[n++] = self_test_cosine(e, PAIRS + i, PAIRS + k);
    }
    s.at_zero = sum / (double)n;
    s.unrelated = self_test_quantile(other, PAIRS, 0.5);
    /* What people ask is less plain than these questions, and what one account has has more in common. */
    s.answering = self_test_quantile(own, PAIRS, 1.0 / 3);
    s.at_half = (self_test_quantile(random, n, 0.99) + self_test_quantile(own, PAIRS, 0.5)) / 2;
    return s;
}

err embed_self_test(struct ctx *c, const struct embed_model *m, struct embed_scale *out)
{
    const char *texts[2 * PAIRS];
    struct embedded e;

    for (size_t i = 0; i < PAIRS; i++) {
        texts[i] = SELF_TEST[i].question;
        texts[PAIRS + i] = SELF_TEST[i].answer;
    }
    TRY(embed_texts_behind(c, m, texts, 2 * PAIRS, &e));
    *out = self_test_scale(c->arena, &e);
    return ERR_OK;
}
