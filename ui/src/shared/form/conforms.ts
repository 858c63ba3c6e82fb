// Why a value does not match a JSON schema, in one sentence, or `null`. Interprets the schema: the window's
// content security policy forbids generated code.

import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';

import type { JsonValue } from '../../ipc/protocol.generated';

export function conforms(schema: JsonValue, value: JsonValue): string | null {
  if (schema === true || typeof schema !== 'object' || schema === null)
    return schema === false ? 'Not allowed here' : null;
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12').validate(value);
    // The last error is the innermost one; the others only report that something inside is wrong.
    const innermost = errors.at(-1);
    return valid || innermost === undefined ? null : sentence(innermost);
  } catch {
    // An invalid schema checks nothing; the tool validates its arguments again.
    return null;
  }
}

function sentence({ instanceLocation, error }: OutputUnit): string {
  const where = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
  const what = error.replace(/^Instance /, '').replace(/\.$/, '');
  return where === '' ? what.charAt(0).toUpperCase() + what.slice(1) : `${where}: ${what}`;
}
