/**
 * Replaces the protocol library's platform module in the bundle. It has the same two exports, but uses the JSON Schema
 * validator that the dialects use anyway: the library's own would add 290 KB.
 */
import process from 'node:process';
import { type Schema, Validator } from '@cfworker/json-schema';

type ValidationResult =
  | { valid: true; data: unknown; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

export class DefaultJsonSchemaValidator {
  getValidator(schema: Schema): (input: unknown) => ValidationResult {
    const validator = new Validator(schema, '2020-12');
    return (input) => {
      const { valid, errors } = validator.validate(input);
      if (valid) return { valid, data: input, errorMessage: undefined };
      return { valid, data: undefined, errorMessage: errors.map(({ error }) => error).join('; ') };
    };
  }
}

export { process };
