const largest = Number.MAX_SAFE_INTEGER;

/**
 * Returns an error message of the API for the field that shows it. The label of the field replaces
 * the name of the parameter, as in `Credits per day must be a whole number of at least 1, or
 * empty`. Returns a message that does not begin with the name of a parameter unchanged.
 */
export const fieldMessage = (label: string, message: string): string =>
  message
    .replace(/^Parameter '[^']+' is required\./, `${label} is empty. Enter a value.`)
    .replace(/^'\w+\[(\d+)\]'/, (_, index: string) => `Entry ${Number(index) + 1}`)
    .replace(/^'[\w.[\]]+'/, label)
    .replace(`an integer from 1 to ${largest}, or null`, "a whole number of at least 1, or empty")
    .replace(/ \(got null\)/, " (it is empty or not a number)");
