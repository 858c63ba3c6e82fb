// Says in one sentence why a value does not fit a JSON schema, or `null`. Interprets the schema
// instead of compiling it: the window's security policy forbids code made at run time.

import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';

import type { JsonValue } from '../../ipc/protocol.generated';

export function conforms(schema: JsonValue, value: JsonValue): string | null {
  if (schema === true || typeof schema !== 'object' || schema === null)
    return schema === false ? 'Not allowed here' : null;
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12').validate(value);
    // The last error is the innermost one, the others say only that something inside is wrong.
    const innermost = errors.at(-1);
    return valid || innermost === undefined ? null : sentence(innermost);
  } catch {
    // A schema that cannot be read checks nothing; the tool checks its arguments again.
    return null;
  }
}

function sentence({ instanceLocation, error }: OutputUnit): string {
  const where = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
  const what = error.replace(/^Instance /, '').replace(/\.$/, '');
  return where === '' ? what.charAt(0).toUpperCase() + what.slice(1) : `${where}: ${what}`;
}
