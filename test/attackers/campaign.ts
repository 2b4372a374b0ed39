/** How long and how often to attack: briefly with the other tests, at length with `npm run attack`. */
import { appendFileSync } from 'node:fs';

interface Orders {
  /** For the whole list of raids. */
  seconds: number;
  kills: number;
  /** Where each row of the result goes, one JSON value a line. */
  report?: string;
}

const orders: Orders = JSON.parse(process.env.COFFERDAM_CAMPAIGN ?? '{"seconds":10,"kills":40}');

export const { seconds, kills } = orders;

export function report(row: Record<string, string | number>): void {
  if (orders.report !== undefined) appendFileSync(orders.report, `${JSON.stringify(row)}\n`);
}
