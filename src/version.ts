/** The program's version. The build takes it from package.json. */
declare const COFFERDAM_VERSION: string;

export const version: string = typeof COFFERDAM_VERSION === 'string' ? COFFERDAM_VERSION : '0.0.0';
