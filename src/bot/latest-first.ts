/** Records by their time (ISO 8601), the latest first; those without one come last, in their order. */
export function latestFirst<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string | undefined,
): Item[] {
  const at = (item: Item) => Date.parse(timeOf(item) ?? '') || 0;
  return items.toSorted((one, other) => at(other) - at(one));
}
