// An export whose days are others: what was written within seconds lies weeks apart, so that curves and timelines have something
// to show. Order is kept. Ids follow time in Loci, so they are moved with their times; the checksums are made anew.
import { createHash } from "node:crypto";

const DAY = 86_400_000;

/** marks: real times (ms) at which the days of a story began, the last its end. Returns a function of microseconds. */
export function warp(marks, now) {
  const n = marks.length - 1, midnight = now - now % DAY;
  const days = marks.slice(0, -1).map((from, i) => {
    const today = midnight - (n - 1 - i) * DAY, last = i === n - 1;
    return { from: from * 1000, to: marks[i + 1] * 1000, begin: (last ? Math.min(today + 7 * 3_600_000, now - 2_700_000) : today + 7 * 3_600_000) * 1000,
      end: (last ? now - 60_000 : today + 18.5 * 3_600_000) * 1000 };
  });
  return (us) => {
    const day = days.find((d) => us < d.to);
    return !day || us < days[0].from ? us : Math.floor(day.begin + (us - day.from) / (day.to - day.from) * (day.end - day.begin));
  };
}

const hex = (ms) => ms.toString(16).padStart(12, "0");

/** All times and ids in a text. */
export function moved(text, move) {
  return text
    .replace(/\b([0-9a-f]{8})-([0-9a-f]{4})-(?=[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b)/g, (all, high, low) => {
      const id = hex(Math.floor(move(parseInt(high + low, 16) * 1000) / 1000));
      return `${id.slice(0, 8)}-${id.slice(8)}-`;
    })
    .replace(/\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z/g, (all, whole, rest) => {
      const us = move(Date.parse(`${whole}Z`) * 1000 + Number(rest));
      return `${new Date(Math.floor(us / 1e6) * 1000).toISOString().slice(0, 19)}.${String(us % 1e6).padStart(6, "0")}Z`;
    });
}

/** The lines of an export, each with the checksum over itself and the one before. */
export function sealed(lines) {
  let sum = Buffer.alloc(16);
  return lines.map((line, i) => {
    const text = line.replace(/,"sum":"[0-9a-f]+"\}$/, "");
    if (i === 0 && text === line) return line;
    sum = createHash("sha256").update(sum).update(text).digest().subarray(0, 16);
    return `${text},"sum":"${sum.toString("hex")}"}`;
  });
}
