// Computes the user's own configuration from an edit of the effective one.

import type { JsonValue, SkillDetail } from '../ipc';

type Values = { readonly [key: string]: JsonValue };

/**
 * `own` plus the differences between `before` (effective) and `now` (in the form). Untouched values are not
 * added, so that they follow the defaults of later versions. An emptied value reverts to its default, except
 * a list: empty means no entries.
 */
export function ownAfter(own: JsonValue, before: JsonValue, now: JsonValue): Values {
  const after = new Map(Object.entries(values(own)));
  const [was, is] = [values(before), values(now)];
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, next] = [was[key], is[key]];
    if (same(old, next)) continue;
    if (next === undefined && Array.isArray(old)) after.set(key, []);
    else if (next === undefined) after.delete(key);
    else after.set(key, isValues(old) && isValues(next) ? ownAfter(after.get(key) ?? {}, old, next) : next);
  }
  return Object.fromEntries(after);
}

/**
 * A skill's detail without the form field of this key, which is set elsewhere; no form if it has no other.
 */
export function withoutKey(detail: SkillDetail, key: string): SkillDetail {
  const schema = values(detail.config_schema ?? {});
  const { [key]: _elsewhere, ...properties } = values(schema['properties'] ?? {});
  if (Object.keys(properties).length === 0) return { ...detail, config_schema: null };
  return { ...detail, config_schema: { ...schema, properties } };
}

export function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isValues(a) && isValues(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => same(a[key], b[key]));
  }
  return JSON.stringify(a) === JSON.stringify(b);
}

export function isEmptyConfig(own: JsonValue): boolean {
  return Object.keys(values(own)).length === 0;
}

function values(given: JsonValue): Values {
  return isValues(given) ? given : {};
}

function isValues(given: JsonValue | undefined): given is Values {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
