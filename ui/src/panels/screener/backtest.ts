// Parses the results of `backtest` and `find_trades`. Pure; amounts and figures stay decimal strings.

import { decimal } from '../../shared/decimal';
import { isRow } from '../skill/answer';
import { rows, some, text } from '../symbol/answers';
import { texts, unansweredIn, whole, type Answer, type Unanswered } from './answers';

/** A day of the curve. */
export interface CurvePoint {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Amount in the test's currency. */
  readonly value: string;
  readonly benchmark: string | null;
  /** Percent below the last high, 0 or less. */
  readonly fall: string;
  readonly benchmarkFall: string | null;
}

export interface Statistic {
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
  readonly unit: string;
}

export interface BackTestTrade {
  readonly symbol: string;
  readonly bought: string;
  /** null: still held at the end. */
  readonly sold: string | null;
  readonly quantity: string;
  /** Percent, after costs. */
  readonly result: string | null;
  readonly gain: string | null;
}

export interface Half {
  readonly from: string;
  readonly to: string;
  readonly yearlyReturn: string | null;
  readonly deepestFall: string | null;
}

export interface BackTest {
  readonly strategy: string;
  readonly universe: string;
  /** What the strategy is compared with: a symbol, or the universe. */
  readonly benchmark: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly rules: readonly { readonly name: string; readonly value: string }[];
  /** Percent, as the returns below. */
  readonly totalReturn: string | null;
  readonly benchmarkTotalReturn: string | null;
  readonly yearlyReturn: string | null;
  readonly benchmarkYearlyReturn: string | null;
  readonly deepestFall: string | null;
  readonly deepestFallFrom: string | null;
  readonly deepestFallTo: string | null;
  readonly end: string | null;
  readonly benchmarkEnd: string | null;
  readonly cash: string | null;
  readonly tradesCount: number;
  readonly statistics: readonly Statistic[];
  /** Oldest first. */
  readonly curve: readonly CurvePoint[];
  /** Newest first. */
  readonly trades: readonly BackTestTrade[];
  readonly halves: readonly Half[];
  readonly unknown: readonly string[];
  readonly at: string | null;
  readonly sources: readonly string[];
  readonly unanswered: readonly Unanswered[];
}

export interface Proposal {
  readonly action: 'buy' | 'sell' | 'hold';
  readonly symbol: string;
  readonly quantity: string | null;
  readonly price: string | null;
  readonly currency: string;
  readonly amount: string | null;
  readonly reason: string;
  readonly date: string | null;
}

/** `null` if the value is not a back-test. */
export function backTestIn(answer: Answer): BackTest | null {
  if (!isRow(answer) || !Array.isArray(answer['curve'])) return null;
  const universe = isRow(answer['universe']) ? text(answer['universe'], 'name') : '';
  return {
    strategy: text(answer, 'strategy'),
    universe,
    benchmark: text(answer, 'benchmark') || universe,
    from: text(answer, 'from'),
    to: text(answer, 'to'),
    currency: text(answer, 'currency'),
    rules: rows(answer, 'rules').map((row) => ({ name: text(row, 'name'), value: text(row, 'value') })),
    totalReturn: some(answer, 'total_return'),
    benchmarkTotalReturn: some(answer, 'benchmark_total_return'),
    yearlyReturn: some(answer, 'yearly_return'),
    benchmarkYearlyReturn: some(answer, 'benchmark_yearly_return'),
    deepestFall: some(answer, 'deepest_fall'),
    deepestFallFrom: some(answer, 'deepest_fall_from'),
    deepestFallTo: some(answer, 'deepest_fall_to'),
    end: some(answer, 'end'),
    benchmarkEnd: some(answer, 'benchmark_end'),
    cash: some(answer, 'cash'),
    tradesCount: whole(answer, 'trades_count') ?? rows(answer, 'trades').length,
    statistics: rows(answer, 'statistics').map((row) => ({ key: text(row, 'key'), name: text(row, 'name'), value: some(row, 'value'), unit: text(row, 'unit') })),
    curve: rows(answer, 'curve').flatMap((row) => {
      const point = { day: text(row, 'date'), value: text(row, 'value'), benchmark: figure(some(row, 'benchmark')), fall: text(row, 'fall'), benchmarkFall: figure(some(row, 'benchmark_fall')) };
      return /^\d{4}-\d{2}-\d{2}$/.test(point.day) && decimal(point.value) && decimal(point.fall) ? [point] : [];
    }),
    trades: rows(answer, 'trades').map((row) => ({ symbol: text(row, 'symbol'), bought: text(row, 'bought'), sold: some(row, 'sold'), quantity: text(row, 'quantity'), result: some(row, 'result'), gain: some(row, 'gain') })),
    halves: rows(answer, 'halves').map((row) => ({ from: text(row, 'from'), to: text(row, 'to'), yearlyReturn: some(row, 'yearly_return'), deepestFall: some(row, 'deepest_fall') })),
    unknown: texts(answer, 'unknown'),
    at: some(answer, 'at'),
    sources: texts(answer, 'sources'),
    unanswered: unansweredIn(answer),
  };
}

export function proposalsIn(answer: Answer): { readonly proposals: readonly Proposal[]; readonly unknown: readonly string[] } | null {
  if (!isRow(answer) || !Array.isArray(answer['proposals'])) return null;
  const proposals = rows(answer, 'proposals').map((row): Proposal => {
    const action = row['action'];
    return {
      action: action === 'buy' || action === 'sell' ? action : 'hold',
      symbol: text(row, 'symbol'),
      quantity: some(row, 'quantity'),
      price: some(row, 'price'),
      currency: text(row, 'currency'),
      amount: some(row, 'amount'),
      reason: text(row, 'reason'),
      date: some(row, 'date'),
    };
  });
  return { proposals, unknown: texts(answer, 'unknown') };
}

function figure(value: string | null): string | null {
  return value !== null && decimal(value) ? value : null;
}
