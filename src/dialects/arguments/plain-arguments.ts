/** The arguments of nearly all calls: a few texts, numbers and switches. To see that they fit takes no validator. */
import type { ObjectSchema, Schema } from './schema.ts';

interface Defaults {
  required: readonly string[];
  defaults: readonly (readonly [name: string, value: unknown])[];
}

const known = new WeakMap<ObjectSchema, Defaults>();

/** The arguments with the defaults of their schema; undefined unless they fit for sure, and nothing in them is ignored. */
export function plainArguments(schema: ObjectSchema, sent: unknown): Record<string, unknown> | undefined {
  if (!arePlain(schema, sent)) return undefined;
  const { required, defaults } = defaultsOf(schema);
  const args: Record<string, unknown> = { ...sent };
  for (const name of required) if (!Object.hasOwn(args, name)) return undefined;
  for (const [name, value] of defaults) if (args[name] === undefined) args[name] = structuredClone(value);
  return args;
}

/** Whether all names are known and all values fit, so that nothing can be ignored. Some may still be missing. */
export function arePlain({ properties }: ObjectSchema, sent: unknown): sent is Record<string, unknown> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return false;
  for (const name of Object.keys(sent)) {
    if (!Object.hasOwn(properties, name)) return false;
    if (!fits(properties[name]!, (sent as Record<string, unknown>)[name])) return false;
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
  // A text with half a character in it is for the validator to refuse.
  return isAny && (value as string & { isWellFormed(): boolean }).isWellFormed();
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
