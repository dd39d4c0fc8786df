/**
 * The number in a text field, or an error message for the user. Neither is set for an empty field.
 */
export type DecimalInput =
  | { readonly value: number | undefined; readonly error?: undefined }
  | { readonly value: undefined; readonly error: string };

const numberMax = 1_000_000;
/**
 * Matches a number that may end with a decimal separator, because the user may still type decimals.
 */
const form = /^(\d{1,7})(?:[.,](\d{0,6}))?$/;
/**
 * Matches a number such as `1,000`, which means a thousand to some users, and one to other users.
 */
const isAmbiguous = /^\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?$/;

/**
 * Reads a number from 0 to 1,000,000 as users type it: `5`, `5.5`, `5,5`, and `5%` if the field is
 * in percent. For any other text, returns an error message. For an empty text, returns neither a
 * number nor an error.
 */
export function decimalIn(
  text: string,
  { unit }: { readonly unit: "percent" | "amount" },
): DecimalInput {
  const typed = text.trim();
  if (typed === "") return { value: undefined };
  const number = unit === "percent" ? typed.replace(/\s*%$/, "") : typed;
  const example = unit === "percent" ? "such as 5 or 2.5" : "such as 10 or 2.50";
  if (number.includes(",") && isAmbiguous.test(number)) {
    return refused(`Enter the number without thousands separators, ${example}`, typed);
  }
  const [, whole, decimals = "0"] = form.exec(number) ?? [];
  const value = whole === undefined ? Number.NaN : Number(`${whole}.${decimals}`);
  if (value <= numberMax) return { value };
  const hint = number.startsWith("-") ? " Omit the minus sign." : "";
  return refused(`Enter a number from 0 to 1,000,000, ${example}`, typed, hint);
}

const refused = (what: string, typed: string, hint = ""): DecimalInput => ({
  value: undefined,
  error: `${what} (got “${typed}”).${hint}`,
});
