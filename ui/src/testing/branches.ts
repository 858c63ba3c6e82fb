import { chosen, noBranches, started, type Branches } from '../state/branches';

/** Branches from a log in the notation of `state/branches.test.ts`. */
export function branches(words: string): Branches {
  return words.split(' ').filter(Boolean).reduce((before, word) => {
    if (word.startsWith('!')) return chosen(before, word.slice(1));
    const [turn = '', after] = word.split('<');
    return started(before, turn, after === undefined ? undefined : after || null);
  }, noBranches);
}
