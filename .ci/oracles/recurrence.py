"""Generates events with recurrence and expands them with recurring-ical-events and dateutil.

Writes the fixture of nova-dav/tests/oracle.rs to standard output; with two numbers, those events of it. One event is two lines:

    FROM TO <tab> property <tab> property <tab> & <tab> property of an override ...
    START[/SECONDS] DELTA[*TIMES][/SECONDS] ...

FROM and TO are seconds since 1970, START is the first start, DELTA the distance of the next starts, SECONDS the
length of this and the following instances. A day begins at 00:00 UTC, and floating times are those of UTC.

What the libraries decide otherwise than RFC 5545 is corrected here; the number is that of its section:
- 3.8.5.3: a DTEND gives all instances the same length in real time, as a DURATION of hours does; the library adds both
  to the clock (`expand`);
- 3.3.5: a time that is skipped counts with the offset before the gap; dateutil takes the offset behind it where a
  VTIMEZONE defines the zone (`observance`);
- 3.3.10: a week belongs to the year in which four of its days lie; dateutil takes week 52 of the year before for week
  53 where both years begin late in a week (`days_of_the_last_week`);
- 3.8.4.4, 3.8.5.1: RECURRENCE-ID and EXDATE mean one instant; the library takes 07:00 in Berlin for 07:00 UTC, too,
  and so leaves out the instance of 08:00 in Berlin (`recurrence_ids`);
- a clock time that is skipped or repeated gives one instance; the library may list one instant twice (`expand`).

These are not generated:
- 3.3.10: BYDAY=MO,2TU means all Mondays and the second Tuesday; dateutil looks for days that are both (`mixes_places`);
- 3.3.10: BYSETPOS counts within the whole first week; dateutil begins to count at DTSTART, so such events start with
  the week (`generate`).
"""

import random
import signal
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import dateutil.rrule
import dateutil.tz.tz
import recurring_ical_events
import recurring_ical_events.adapters.component
import recurring_ical_events.series.rrule
from icalendar import Calendar
from recurring_ical_events.errors import BadRuleStringFormat

COUNT = 2000
UTC = timezone.utc
ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "Europe/London", "America/Santiago",
    "Pacific/Auckland", "Europe/Dublin", "Australia/Lord_Howe", "Africa/Nairobi",
]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
OWN = "\r\n".join([
    "BEGIN:VTIMEZONE", "TZID:Headquarters",
    "BEGIN:DAYLIGHT", "DTSTART:19900325T020000", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
    "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "END:DAYLIGHT",
    "BEGIN:STANDARD", "DTSTART:19901028T030000", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
    "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "END:STANDARD",
    "END:VTIMEZONE", "",
])


def recurrence_ids(time):
    if not isinstance(time, datetime):
        time = datetime(time.year, time.month, time.day)
    return ((time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time),)


recurring_ical_events.series.rrule.to_recurrence_ids = recurrence_ids
recurring_ical_events.adapters.component.to_recurrence_ids = recurrence_ids


def observance(zone, time, find=dateutil.tz.tz._tzicalvtz._find_comp):
    """The part of a VTIMEZONE that holds at a time; in a gap the one before it, the one behind it with fold=1."""
    found = find(zone, time)
    before = find(zone, time - found.tzoffsetdiff)
    gap = found.tzoffsetdiff > timedelta(0) and before is not found
    return before if gap and not time.fold else found


dateutil.tz.tz._tzicalvtz._find_comp = observance


def days_of_the_last_week(year_info, year, month, rebuild=dateutil.rrule._iterinfo.rebuild):
    """Marks the days of January that belong to the last week of the year before."""
    rebuild(year_info, year, month)
    wanted = year_info.rrule._byweekno or []
    for number in range(7 if wanted else 0):
        day = date(year, 1, 1) + timedelta(days=number)
        fourth = day + timedelta(days=3 - (day.weekday() - year_info.rrule._wkst) % 7)
        if fourth.year < year:
            week = (fourth.timetuple().tm_yday + 6) // 7
            year_info.wnomask[number] = week in wanted or -1 in wanted


dateutil.rrule._iterinfo.rebuild = days_of_the_last_week


def some(rng, values, most):
    return sorted(rng.sample(list(values), rng.randint(1, most)))


def by(rng, name, values, most=3):
    return f";{name}=" + ",".join(str(value) for value in some(rng, values, most))


def either_sign(rng, values):
    return [value if rng.random() < 0.7 else -value for value in values]


def rule(rng, timed):
    frequency = rng.choices(
        ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"],
        [18, 25, 27, 18, 8 if timed else 0, 2 if timed else 0],
    )[0]
    text = f"FREQ={frequency}"
    if rng.random() < 0.5:
        text += f";INTERVAL={rng.choice([2, 2, 3, 4, 5, 7, 12])}"
    chance = rng.random
    days = None
    weeks = frequency == "YEARLY" and chance() < 0.15
    months = not weeks and chance() < 0.3
    if frequency in ("YEARLY", "MONTHLY") and chance() < 0.45:
        width = 53 if frequency == "YEARLY" and not months else 5
        places = [rng.choice(["", 1, 2, 3, 4, -1, -2, min(width, rng.randint(1, width))]) for _ in range(3)]
        days = ",".join(f"{rng.choice(places)}{day}" for day in rng.sample(DAYS, rng.randint(1, 3)))
    elif frequency == "WEEKLY" and chance() < 0.7 or frequency in ("DAILY", "HOURLY") and chance() < 0.3:
        days = ",".join(rng.sample(DAYS, rng.randint(1, 4)))
    if weeks:
        text += by(rng, "BYWEEKNO", [1, 5, 20, 30, 52, 53, -1], 2)
        days = ",".join(rng.sample(DAYS, rng.randint(1, 2)))
    if days:
        text += f";BYDAY={days}"
    if months:
        text += by(rng, "BYMONTH", range(1, 13), 4)
    if frequency in ("YEARLY", "MONTHLY", "DAILY") and not weeks and chance() < 0.3:
        text += by(rng, "BYMONTHDAY", sorted(set(either_sign(rng, [1, 7, 13, 15, 28, 29, 30, 31]))), 3)
    elif frequency == "YEARLY" and not weeks and not days and chance() < 0.25:
        text += by(rng, "BYYEARDAY", [1, 60, 100, 200, 365, 366, -1, -100], 3)
    if timed and chance() < 0.15:
        text += by(rng, "BYHOUR", range(24), 3)
    if timed and chance() < 0.1:
        text += by(rng, "BYMINUTE", [0, 10, 15, 30, 45, 59], 3)
    week_start = "MO"
    if chance() < 0.3:
        week_start = rng.choice(["MO", "SU", "SA", "WE"])
        text += f";WKST={week_start}"
    places = False
    if (days or "BYMONTHDAY" in text) and frequency in ("YEARLY", "MONTHLY", "WEEKLY") and chance() < 0.3:
        text += by(rng, "BYSETPOS", [1, 2, 3, -1, -2], 2)
        places = frequency == "WEEKLY"
    return text, DAYS.index(week_start) if places else None


def stamp(value):
    if not isinstance(value, datetime):
        return value.strftime("%Y%m%d")
    return value.strftime("%Y%m%dT%H%M%S") + ("Z" if value.tzinfo is UTC else "")


def prop(name, value, zone):
    if not isinstance(value, datetime):
        return f"{name};VALUE=DATE:{stamp(value)}"
    if zone:
        return f"{name};TZID={zone}:{stamp(value)}"
    return f"{name}:{stamp(value)}"


def calendar(events, own):
    lines = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:oracle\r\n" + (OWN if own else "")
    for event in events:
        lines += "BEGIN:VEVENT\r\nUID:1\r\n" + "".join(line + "\r\n" for line in event) + "END:VEVENT\r\n"
    return lines + "END:VCALENDAR\r\n"


def epoch(value):
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return int((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp())


def expand(events, own, start, stop):
    found = set()
    cal = Calendar.from_ical(calendar(events, own))
    for event in cal.walk("VEVENT"):
        # The instances have the comment of the event or the override that describes them.
        event.add("COMMENT", exact_length(event))
    # By the clock an instance may end an hour before it does.
    for event in recurring_ical_events.of(cal).between(start - timedelta(hours=3), stop):
        begin, end = event["DTSTART"].dt, event["DTEND"].dt
        length = int(event["COMMENT"]) if isinstance(begin, datetime) else epoch(end) - epoch(begin)
        if epoch(begin) >= epoch(start) or epoch(begin) + length > epoch(start):
            found.add((epoch(begin), length, begin))
    starts = {}
    for begin, length, original in sorted(found, key=lambda item: item[:2]):
        starts.setdefault(begin, (length, original))
    return [(begin, *rest) for begin, rest in starts.items()]


def exact_length(event):
    if "DURATION" in event:
        return int(event["DURATION"].dt.total_seconds())
    return epoch(event["DTEND"].dt) - epoch(event["DTSTART"].dt) if "DTEND" in event else 0


def duration(seconds):
    hours, rest = divmod(seconds, 3600)
    return f"PT{hours}H{rest // 60}M"


def generate(rng):
    kind = rng.choices(["zoned", "utc", "floating", "day", "own"], [50, 12, 10, 22, 6])[0]
    timed = kind != "day"
    zone = {"zoned": rng.choice(ZONES), "own": "Headquarters"}.get(kind)
    text, week_start = rule(rng, timed)
    first = date(rng.randint(2006, 2020), rng.randint(1, 12), rng.randint(1, 28)) + timedelta(days=rng.randint(0, 3))
    # Half of all zoned events begin near a change of the clock.
    if kind == "zoned" and rng.random() < 0.4:
        first = date(rng.randint(2006, 2020), rng.choice([3, 4, 10, 11]), rng.randint(1, 28))
    if week_start is not None:
        first -= timedelta(days=(first.weekday() - week_start) % 7)
    start = first
    if timed:
        clock = rng.choice([(0, 0), (1, 30), (2, 0), (2, 30), (3, 0), (9, 0), (14, 15), (23, 30)])
        start = datetime(first.year, first.month, first.day, *clock)
        if kind == "utc":
            start = start.replace(tzinfo=UTC)

    event = [prop("DTSTART", start, zone)]
    if kind == "day":
        if rng.random() < 0.7:
            event.append(prop("DTEND", start + timedelta(days=rng.randint(1, 4)), zone))
    elif rng.random() < 0.7:
        event.append(prop("DTEND", start + timedelta(minutes=rng.choice([15, 60, 90, 480, 1440, 2000])), zone))
    elif rng.random() < 0.8:
        seconds = 60 * rng.choice([15, 45, 60, 150, 600])
        event.append(f"DURATION:{duration(seconds)}")

    end = rng.random()
    if end < 0.25:
        text += f";COUNT={rng.choice([1, 2, 5, 10, 30, 100])}"
    elif end < 0.5:
        until = start + timedelta(days=rng.choice([0, 10, 60, 400, 1500]))
        if zone == "Headquarters":
            until = until.replace(tzinfo=UTC)
        elif zone:
            until = until.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        text += f";UNTIL={stamp(until)}"
    event.append("RRULE:" + text)

    # A window with some instances in it, near the start or years later.
    begin = datetime(first.year, first.month, first.day, 0, 0, 30, tzinfo=UTC) - timedelta(days=2)
    if rng.random() < 0.5:
        often = "HOURLY" in text or "MINUTELY" in text
        begin += timedelta(days=rng.choice([5, 20]) if often else rng.choice([20, 100, 400, 1500]))
    plain, stop = [], begin
    for days in (3, 12, 50, 200, 800, 3000):
        wider = begin + timedelta(days=days)
        found = expand([event], zone == "Headquarters", begin, wider)
        if len(found) > 40:
            break
        plain, stop = found, wider
        if len(found) > 12:
            break
    if stop == begin:
        return None
    events = [event]
    if plain and rng.random() < 0.45:
        change(rng, events, plain, start, kind, zone)
    found = expand(events, zone == "Headquarters", begin, stop)
    return begin, stop, events, found


def change(rng, events, plain, start, kind, zone):
    event = events[0]
    own = rng.sample(plain, min(len(plain), rng.randint(1, 4)))
    for number, (_, _, at) in enumerate(own):
        if isinstance(at, datetime) and kind != "utc":
            at = at.replace(tzinfo=None)
        elif isinstance(at, datetime):
            at = at.astimezone(UTC).replace(tzinfo=UTC)
        what = rng.choice(["exclude", "move", "add", "later" if number == 0 else "move"])
        # A shift of the later ones over the change of a clock is left open by the standard.
        step = timedelta(days=rng.choice([-1, 1, 2])) if kind == "day" else timedelta(minutes=rng.choice([-90, 30, 240]))
        if what == "exclude":
            event.append(prop("EXDATE", at, zone))
        elif what == "add":
            event.append(prop("RDATE", at + step + timedelta(days=1), zone))
        else:
            mark = ";RANGE=THISANDFUTURE" if what == "later" else ""
            name = prop("RECURRENCE-ID", at, zone)
            name = name.replace("RECURRENCE-ID", "RECURRENCE-ID" + mark, 1)
            moved = at + step
            length = timedelta(days=rng.randint(1, 2)) if kind == "day" else timedelta(minutes=rng.choice([20, 75]))
            events.append([name, prop("DTSTART", moved, zone), prop("DTEND", moved + length, zone)])


def compact(found):
    tokens, last, length, run = [], None, None, None
    for begin, seconds, _ in found:
        mark = "" if seconds == length else f"/{seconds}"
        length = seconds
        step = begin if last is None else begin - last
        last = begin
        if run and not mark and run[0] == step and len(tokens) > 1:
            run[1] += 1
            tokens[-1] = f"{step}*{run[1]}"
        else:
            # A token that changes the length is not repeated.
            run = None if mark else [step, 1]
            tokens.append(f"{step}{mark}")
    return " ".join(tokens)


def too_long(_signal, _frame):
    raise TimeoutError


def main():
    # dateutil looks for 30 February until the year 9999.
    signal.signal(signal.SIGVTALRM, too_long)
    first, last = (int(number) for number in sys.argv[1:3] or (0, COUNT))
    for number in range(first, last):
        # A seed of its own, so that parts of the fixture can be made at once.
        rng = random.Random(number)
        while not write_one(rng):
            pass


def mixes_places(event):
    text = next(line for line in event if line.startswith("RRULE:"))
    days = text.partition("BYDAY=")[2].partition(";")[0].split(",")
    return not text.startswith(("RRULE:FREQ=WEEKLY", "RRULE:FREQ=DAILY", "RRULE:FREQ=HOURLY")) and len(
        {len(day) > 2 for day in days}
    ) > 1


def write_one(rng):
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    try:
        made = generate(rng)
    except (TimeoutError, BadRuleStringFormat):
        # The latter is a rule without any start, such as every third hour at an hour that is never reached.
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    # Some empty answers are worth a line, not hundreds.
    if made is None or not made[3] and rng.random() < 0.8 or mixes_places(made[2][0]):
        return False
    begin, stop, events, found = made
    lines = "\t&\t".join("\t".join(event) for event in events)
    sys.stdout.write(f"{epoch(begin)} {epoch(stop)}\t{lines}\n{compact(found)}\n")
    return True


if __name__ == "__main__":
    main()
