"""Trades on standard input, [[date, quantity, price, fee]] with sales below zero, as beancount books
them first in, first out, and as exact fractions pool them."""

import json
import sys
from decimal import Decimal
from fractions import Fraction

from beancount import loader
from beancount.core import inventory

trades = [(date, Decimal(q), Decimal(p), Decimal(f)) for date, q, p, f in json.load(sys.stdin)]

lines = [
    '2000-01-01 open Assets:Shares AAA "FIFO"',
    "2000-01-01 open Assets:Cash EUR",
    "2000-01-01 open Income:Gains",
    "2000-01-01 open Expenses:Fees EUR",
]
for date, quantity, price, fee in trades:
    lines.append(f'{date} * "trade"')
    if quantity > 0:
        lines.append(f"  Assets:Shares  {quantity} AAA {{{price} # {fee} EUR}}")
        lines.append("  Assets:Cash")
    else:
        lines.append(f"  Assets:Shares  {quantity} AAA {{}} @ {price} EUR")
        lines.append(f"  Assets:Cash  {-quantity * price - fee} EUR")
        lines.append(f"  Expenses:Fees  {fee} EUR")
        lines.append("  Income:Gains")
entries, errors, _ = loader.load_string("\n".join(lines) + "\n")
if errors:
    sys.exit(str(errors[0]))

held, fifo = inventory.Inventory(), Decimal(0)
for entry in entries:
    for posting in getattr(entry, "postings", []):
        if posting.account == "Assets:Shares":
            held.add_position(posting)
            if posting.units.number < 0:
                fifo += -posting.units.number * (posting.price.number - posting.cost.number)
        if posting.account == "Expenses:Fees":
            fifo -= posting.units.number


def text(number):
    return format(number.normalize(), "f")


lots = sorted(held, key=lambda position: position.cost.date)
pool, cost, average = Fraction(0), Fraction(0), Fraction(0)
for _, quantity, price, fee in trades:
    if quantity > 0:
        cost += Fraction(quantity) * Fraction(price) + Fraction(fee)
    else:
        part = cost * Fraction(-quantity) / pool
        cost -= part
        average += Fraction(-quantity) * Fraction(price) - Fraction(fee) - part
    pool += Fraction(quantity)


def rounded(fraction):
    return text((Decimal(fraction.numerator) / Decimal(fraction.denominator)).quantize(Decimal("1e-12")))


json.dump(
    {
        "lots": [[text(p.units.number), text(p.units.number * p.cost.number)] for p in lots],
        "fifo": text(fifo),
        "average": rounded(average),
        "average_cost": rounded(cost),
    },
    sys.stdout,
)
