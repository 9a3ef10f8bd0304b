/** Messages and commands as Discord takes them, for tests to change. */

export const NO_PINGS = { parse: [] };
export const button = (over: object = {}) => ({ type: 2, style: 2, label: 'Open', custom_id: 'share:open:1', ...over });
export const row = (...components: object[]) => ({ type: 1, components });
export const link = (over: object = {}) => ({
  type: 2,
  style: 5,
  label: 'Open',
  url: 'https://satchel.example/f/abc',
  ...over,
});
export const menu = (over: object = {}) => ({
  type: 3,
  custom_id: 'list:choose',
  options: [
    { label: 'One', value: '1', default: true },
    { label: 'Two', value: '2' },
  ],
  ...over,
});
export const message = (over: object = {}) => ({
  content: 'Three files are in **Holiday**.',
  embeds: [{ title: 'Holiday', description: 'Three files', color: 1, fields: [{ name: 'Files', value: '3' }] }],
  components: [row(button(), link()), row(menu())],
  allowed_mentions: NO_PINGS,
  ...over,
});
export const reply = (over: object = {}, type = 4) => ({ type, data: message(over) });
export const embed = (over: object) => ({ embeds: [{ title: 'Holiday', ...over }] });

export const option = (over: object = {}) => ({ type: 3, name: 'folder', description: 'Which folder', ...over });
export const command = (over: object = {}) => ({
  name: 'share',
  description: 'Shares a folder',
  name_localizations: { de: 'teilen' },
  description_localizations: { de: 'Teilt einen Ordner' },
  options: [option({ required: true, autocomplete: true }), option({ type: 6, name: 'with' })],
  integration_types: [0, 1],
  contexts: [0, 1, 2],
  ...over,
});
export const withOption = (over: object) => [command({ options: [option(over)] })];
export const input = (over: object = {}) => ({ type: 4, custom_id: 'hours', style: 1, ...over });
export const modal = (...components: object[]) => ({
  type: 9,
  data: { custom_id: 'share:extend:1', title: 'Extend', components },
});
export const label = (over: object = {}) => ({ type: 18, label: 'Hours', component: input(), ...over });
