/** Makes the JSON schema of the file that --config names, from the table of options. */

export function configSchema(flags, inConfig) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Options of cofferdam',
    description: 'What cofferdam --config FILE reads; see docs/CONFIG.md.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      directories: {
        description: 'The directories to serve, from the place of this file; DIR:ro is read-only',
        ...oneOrMore({ type: 'string' }),
      },
      ...Object.fromEntries(flags.filter(inConfig).map((flag) => [flag.name, propertyOf(flag)])),
    },
    additionalProperties: false,
  };
}

function propertyOf({ value, repeatable, help }) {
  const description = help[0].toUpperCase() + help.slice(1);
  if (value === undefined) return { description, type: 'boolean' };
  const one = /^[a-z]+(\|[a-z]+)+$/.test(value)
    ? { enum: value.split('|') }
    : { type: value === 'N' ? ['string', 'integer'] : 'string' };
  // One string may hold several words, separated by commas.
  return { description, ...(repeatable ? oneOrMore({ type: 'string' }) : one) };
}

function oneOrMore(item) {
  return { anyOf: [item, { type: 'array', items: item }] };
}
