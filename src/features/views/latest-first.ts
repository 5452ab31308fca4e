/** Returns the items by time (ISO 8601), latest first. Items without a time come last. */
export function latestFirst<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string | undefined,
): Item[] {
  const at = (item: Item) => Date.parse(timeOf(item) ?? '') || 0;
  return items.toSorted((one, other) => at(other) - at(one));
}
