/** Arguments that several tools take. */
export const path = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const position = { type: 'integer', minimum: 1 } as const;
export const ifHash = { type: 'string', description: 'Refuse if the file has another hash now' } as const;
export const includeIgnored = { type: 'boolean', description: 'Also what .gitignore names' } as const;
export const excludePatterns = { type: 'array', items: { type: 'string' }, default: [] } as const;
