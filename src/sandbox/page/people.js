import { element } from './element.js';

/**
 * Who the reader is. Kept in the address, so that each tab can be somebody else and stays so.
 * @param {{ select: HTMLSelectElement, people: { id: number, first_name: string, role: string }[], choose: (person: object) => void }} parts
 */
export function createPeople({ select, people, choose }) {
  const named = (person) => {
    const role = person.role[0].toUpperCase() + person.role.slice(1);
    const text =
      role.toLowerCase() === person.first_name.toLowerCase() ? role : `${person.first_name} (${role})`;
    return element('option', { value: String(person.id), text });
  };
  const find = (id) => people.find((person) => String(person.id) === id);
  const fromAddress = () => find(location.hash.slice(1)) ?? people[0];
  const take = (person) => {
    select.value = String(person.id);
    choose(person);
  };

  select.replaceChildren(...people.map(named));
  select.addEventListener('change', () => {
    history.replaceState(null, '', `#${select.value}`);
    take(find(select.value));
  });
  window.addEventListener('hashchange', () => take(fromAddress()));
  take(fromAddress());
}
