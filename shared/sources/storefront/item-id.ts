/** The part of an ID template that the adapter replaces with the item's ID. */
const placeholder = "{id}";

/** Returns true for a string that contains `{id}` exactly once. */
export const isIdTemplate = (template: string): boolean => template.split(placeholder).length === 2;

/** Returns true for the template of a store that knows items by the IDs of the service. */
export const isBareTemplate = (template: string): boolean => template === placeholder;

/** Returns the ID by which a store knows an item: the template with the item's ID. */
export const storeIdOf = (template: string, id: string): string =>
  template.split(placeholder).join(id);

/** Returns the number at the end of a store's ID, such as the number of a product; else the ID. */
export const shortIdOf = (storeId: string): string =>
  // The look-behind lets the search fail immediately inside a long number.
  /(?<!\d)\d+$/.exec(storeId)?.[0] ?? storeId;
