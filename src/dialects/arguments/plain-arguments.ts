/** Checks the arguments of nearly all calls, a few strings, numbers and booleans, without the validator. */
import { isObject } from '../../json/is-object.ts';
import { isWellFormed } from '../../utf16.ts';
import type { ObjectSchema, Schema } from './schema.ts';

interface Defaults {
  required: readonly string[];
  defaults: readonly (readonly [name: string, value: unknown])[];
}

const known = new WeakMap<ObjectSchema, Defaults>();

/** The arguments with their defaults; undefined unless they certainly fit and none of them would be ignored. */
export function plainArguments(schema: ObjectSchema, sent: unknown): Record<string, unknown> | undefined {
  if (!arePlain(schema, sent)) return undefined;
  const { required, defaults } = defaultsOf(schema);
  const args: Record<string, unknown> = { ...sent };
  for (const name of required) if (!Object.hasOwn(args, name)) return undefined;
  for (const [name, value] of defaults) if (args[name] === undefined) args[name] = structuredClone(value);
  return args;
}

/** Whether all names are known and all values fit. Required arguments may still be missing. */
export function arePlain({ properties }: ObjectSchema, sent: unknown): sent is Record<string, unknown> {
  if (!isObject(sent)) return false;
  for (const name of Object.keys(sent)) {
    if (!Object.hasOwn(properties, name)) return false;
    if (!fits(properties[name]!, sent[name])) return false;
  }
  return true;
}

function fits(schema: Schema, value: unknown): boolean {
  if (!('type' in schema)) return false;
  if (schema.type === 'boolean') return typeof value === 'boolean';
  if (schema.type === 'integer') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  }
  if (schema.type !== 'string' || typeof value !== 'string') return false;
  const { enum: choices, minLength, maxLength, pattern } = schema;
  const isAny = choices === undefined && (minLength ?? maxLength) === undefined && pattern === undefined;
  // The full check refuses a string with a lone surrogate.
  return isAny && isWellFormed(value);
}

function defaultsOf(schema: ObjectSchema): Defaults {
  let found = known.get(schema);
  if (found === undefined) {
    const defaults = Object.entries(schema.properties).flatMap(([name, field]) =>
      'default' in field && field.default !== undefined ? [[name, field.default] as const] : [],
    );
    found = { required: schema.required ?? [], defaults };
    known.set(schema, found);
  }
  return found;
}
