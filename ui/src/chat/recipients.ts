// Recipients among the arguments of a call that sends: lists of addresses. Pure.

import type { JsonValue } from '../ipc';
import { isObject } from './wording';

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** `Jane <jane@a.example>` and `jane@a.example` → `jane@a.example`; `null` if it is no address. */
function addressOf(text: string): string | null {
  const address = (/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim();
  return ADDRESS.test(address) ? address.toLowerCase() : null;
}

/** The list, if all its items are addresses. */
export function addressList(value: JsonValue | undefined): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const texts = value.filter((one) => typeof one === 'string');
  return texts.length === value.length && texts.every((one) => addressOf(one) !== null) ? texts : null;
}

/**
 * The arguments without one recipient. `label`: the name of the list in any case, `person` as shown. `null` if the
 * list does not contain the address, or it is the only recipient.
 */
export function withoutRecipient(args: JsonValue, label: string, person: string): JsonValue | null {
  if (!isObject(args)) return null;
  const key = Object.keys(args).find((one) => one.toLowerCase() === label.toLowerCase());
  const list = key === undefined ? null : addressList(args[key]);
  const address = addressOf(person);
  if (key === undefined || list === null || address === null) return null;
  const others = list.filter((one) => addressOf(one) !== address);
  if (others.length === list.length) return null;
  const { [key]: _, ...rest } = args;
  if (others.length > 0) return { ...args, [key]: others };
  return Object.values(rest).some((value) => addressList(value) !== null) ? rest : null;
}
