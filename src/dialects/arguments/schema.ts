/** The JSON Schemas of tool inputs, and the TypeScript types that follow from them. */

interface Described {
  readonly description?: string;
}

export interface StringSchema extends Described {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string;
}

export interface NumberSchema extends Described {
  readonly type: 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface BooleanSchema extends Described {
  readonly type: 'boolean';
  readonly default?: boolean;
}

export interface ArraySchema extends Described {
  readonly type: 'array';
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly unknown[];
}

export interface OneOfSchema extends Described {
  readonly oneOf: readonly Schema[];
}

export interface ObjectSchema extends Described {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

export type Schema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | OneOfSchema | ObjectSchema;

/** The schema of a list of strings, to be extended: `{ ...strings, description: '…' }`. */
export const strings = { type: 'array', items: { type: 'string' } } as const;

/** The type of the values that a schema describes, after defaults are filled in: a field with one is never missing. */
export type FromSchema<S> = S extends { readonly oneOf: readonly (infer One)[] }
  ? FromSchema<One>
  : S extends { readonly type: 'string'; readonly enum: readonly (infer Choice)[] }
    ? Choice
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer Item }
            ? FromSchema<Item>[]
            : S extends { readonly type: 'object'; readonly properties: infer P }
              ? ObjectFrom<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
              : never;

type Present<P, R> = {
  [K in keyof P]: K extends R ? K : P[K] extends { readonly default: unknown } ? K : never;
}[keyof P];

type ObjectFrom<P, R> = { -readonly [K in Present<P, R>]: FromSchema<P[K]> } & {
  -readonly [K in Exclude<keyof P, Present<P, R>>]?: FromSchema<P[K]>;
};
