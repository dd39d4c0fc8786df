/** The part of an ID template that the adapter replaces with the item's ID. */
const placeholder = "{id}";

/** Returns true for a string that contains `{id}` exactly once. */
export const isIdTemplate = (template: string): boolean => template.split(placeholder).length === 2;

/**
 * Returns true if a template consists only of `{id}`, because the store uses the item IDs of the
 * service.
 */
export const isBareTemplate = (template: string): boolean => template === placeholder;

/** Returns the ID of an item in the store: the template with the item's ID in place of `{id}`. */
export const storeIdOf = (template: string, id: string): string =>
  template.split(placeholder).join(id);

/**
 * Returns the number at the end of a store's ID, such as the number of a product. Returns the whole
 * ID if it does not end with a number.
 */
export const shortIdOf = (storeId: string): string =>
  // The look-behind lets the search fail immediately inside a long number.
  /(?<!\d)\d+$/.exec(storeId)?.[0] ?? storeId;
