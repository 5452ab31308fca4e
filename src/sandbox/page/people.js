import { element } from './element.js';

/** Returns the name of a user on the page: `Merchant`, or `Ann (Merchant)`. */
export function personName({ first_name, role }) {
  const title = role[0].toUpperCase() + role.slice(1);
  return title.toLowerCase() === first_name.toLowerCase() ? title : `${first_name} (${title})`;
}

/** Fills the user selection. */
export function offerPeople(select, people) {
  select.replaceChildren(
    ...people.map((person) => element('option', { value: String(person.id), text: personName(person) })),
  );
}
