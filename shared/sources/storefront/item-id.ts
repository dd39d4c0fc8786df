/** The part of an ID template that the adapter replaces with the item's ID. */
const placeholder = "{id}";

/** Returns true for a string that contains `{id}` exactly once. */
export const isIdTemplate = (template: string): boolean => template.split(placeholder).length === 2;

/** Returns the ID by which a store knows an item: the template with the item's ID. */
export const storeIdOf = (template: string, id: string): string =>
  template.split(placeholder).join(id);

/** Returns the number at the end of a store's ID, such as the number of a product; else the ID. */
export const shortIdOf = (storeId: string): string => /(\d+)$/.exec(storeId)?.[1] ?? storeId;
