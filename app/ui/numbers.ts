const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const { format: numberText } = new Intl.NumberFormat("en");

/** Returns for example "12.4K tokens". */
export const tokensText = (count: number): string => `${compact.format(count)} tokens`;

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** Lists costs per currency, never added together: "$1.20 + €0.50". Null without costs. */
export function costsText(costs: readonly { currency: string; cost: number }[]): string | null {
  if (costs.length === 0) return null;
  return costs.map(({ currency, cost }) => moneyText(cost, currency)).join(" + ");
}

/** By currency and decimals: making one takes longer than a row of a table. */
const moneyFormats = new Map<string, Intl.NumberFormat>();

/** Formats money with its currency. Amounts below 1 get up to four decimals. */
export function moneyText(amount: number, currency: string): string {
  const maximumFractionDigits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  const key = `${currency} ${maximumFractionDigits}`;
  const known = moneyFormats.get(key);
  const format = known ?? new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits });
  if (!known) moneyFormats.set(key, format);
  return format.format(amount);
}

export const percentText = (share: number): string => `${Math.round(share * 100)} %`;

/** Formats a budget amount with its unit: "$5.00", "200K tokens". */
export function amountText(amount: number, unit: string): string {
  return unit === "tokens" ? tokensText(amount) : moneyText(amount, unit);
}
