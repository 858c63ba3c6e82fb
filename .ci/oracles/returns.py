"""Computes the money-weighted returns of generated flows with pyxirr, for nova-market/tests/oracle.rs.

Each line is the rate and the flows, as day and amount: what is put in is below zero. The cumulated flows change their sign
once, so that there is one rate. Money is put in monthly or at random, some is taken out, and the rest is the value on the
last day: from a near-total loss to a fourfold. Rates beyond those of any account, of money put in a few days before, are left
out.
"""

import datetime
import random

import pyxirr

CASES = 60


def flows(chance):
    day = datetime.date(1999 + chance.randrange(20), chance.randrange(12) + 1, chance.randrange(28) + 1)
    monthly = chance.random() < 0.5
    found = []
    paid = 0
    for _ in range(chance.randrange(1, 60)):
        amount = chance.randrange(1, 500_000)
        if paid > 2 * amount and chance.random() < 0.2:
            amount = -amount
        paid += amount
        found.append((day, -amount / 100))
        day += datetime.timedelta(days=30 if monthly else chance.randrange(1, 400))
    found.append((day, max(1, round(paid * chance.uniform(0.02, 4))) / 100))
    return found


def main():
    chance = random.Random(1999)
    left = CASES
    while left > 0:
        found = flows(chance)
        rate = pyxirr.xirr(found)
        if not -0.99 < rate < 100:
            continue
        left -= 1
        text = " ".join(f"{day} {amount:.2f}" for day, amount in found)
        print(f"{rate:.12g} {text}")


if __name__ == "__main__":
    main()
