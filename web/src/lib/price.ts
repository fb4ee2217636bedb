/** What an hour of worker time costs. */
export interface Price {
  workerHour: number;
  currency: string;
}

/** A sum of money: cents, and more digits where it is smaller than one. */
export function money(sum: number, currency: string): string {
  const digits = sum === 0 || sum >= 0.01 ? 2 : 6;
  const text = sum.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits });
  return currency ? `${text} ${currency}` : text;
}

/** What so many seconds of worker time cost. */
export function costOf({ workerHour, currency }: Price): (seconds: number) => string {
  return (seconds) => money((seconds / 3_600) * workerHour, currency);
}

export function priceText({ workerHour, currency }: Price): string {
  return money(workerHour, currency);
}
