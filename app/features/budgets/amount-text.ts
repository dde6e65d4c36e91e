import { moneyText, tokensText } from "~/ui/numbers";

/** Formats a budget amount with its unit: "$5.00", "200K tokens". */
export function amountText(amount: number, unit: string): string {
  return unit === "tokens" ? tokensText(amount) : moneyText(amount, unit);
}
