// The sample's current time, and times relative to it.

export const day = '2026-11-20';

/** Friday 20 November 2026, 14:33 local time. */
export const sampleNow = new Date(`${day}T14:33:00`);

export const local = (time: string, date = day) => new Date(`${date}T${time}:00`).toISOString();
