/** Interactions and messages as Discord sends them, by the examples of its documentation, for tests to change. */

const USER = {
  id: '53908232506183680',
  username: 'mason',
  discriminator: '0',
  global_name: null,
  avatar: 'a_d5efa99b3eeaa7dd43acca82f5692432',
  public_flags: 131_141,
  primary_guild: null,
};
const MEMBER = {
  user: USER,
  roles: ['539082325061836999'],
  joined_at: '2017-03-13T19:19:14.040000+00:00',
  permissions: '2147483647',
  flags: 0,
  deaf: false,
  mute: false,
};
const FRAME = {
  id: '846462639134605312',
  application_id: '845027738276462632',
  token: 'A_UNIQUE_TOKEN',
  version: 1,
};

export const MESSAGE = {
  type: 20,
  id: '851257022000000000',
  channel_id: '645027906669510667',
  content: 'Hi',
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  timestamp: '2021-06-23T19:19:14.040000+00:00',
  edited_timestamp: null,
  flags: 0,
  components: [],
  author: { ...USER, flags: 0, bot: true },
  pinned: false,
  mention_everyone: false,
  tts: false,
};

const { flags: _flags, ...AUTHOR } = MESSAGE.author;

/** A person's act in a server. */
export const act = (over: object = {}) => ({
  ...FRAME,
  type: 2,
  channel_id: '645027906669510667',
  channel: { id: '645027906669510667', type: 0, name: 'general' },
  guild_id: '290926798626357999',
  guild: { id: '290926798626357999', locale: 'en-US', features: ['COMMUNITY'] },
  guild_locale: 'en-US',
  member: MEMBER,
  app_permissions: '442368',
  locale: 'en-US',
  entitlements: [],
  authorizing_integration_owners: { '0': '290926798626357999' },
  context: 0,
  attachment_size_limit: 10_485_760,
  data: {
    id: '771825006014889984',
    name: 'share',
    type: 1,
    options: [
      { name: 'folder', type: 3, value: 'Holiday' },
      { name: 'with', type: 6, value: USER.id },
    ],
    resolved: { users: { [USER.id]: USER } },
  },
  ...over,
});
/** The same in direct messages. */
export const inPrivate = (over: object = {}) => {
  const { guild_id, guild, guild_locale, member, ...rest } = act();
  return { ...rest, user: USER, context: 1, authorizing_integration_owners: { '1': USER.id }, ...over };
};
export const ping = (over: object = {}) => ({ ...FRAME, type: 1, ...over });
/** In an interaction, a message says a little less of its author than in the API. */
export const clicked = (data: object = {}) =>
  act({
    type: 3,
    message: { ...MESSAGE, author: AUTHOR },
    data: { custom_id: 'a', component_type: 2, id: 2, ...data },
  });
export const typed = () =>
  act({
    type: 4,
    data: {
      id: '771825006014889984',
      name: 'list',
      type: 1,
      options: [{ name: 'a', type: 3, value: '', focused: true }],
    },
  });
export const submitted = () =>
  act({
    type: 5,
    data: {
      custom_id: 'form',
      components: [{ type: 18, id: 1, component: { type: 4, id: 2, custom_id: 'hours', value: '3' } }],
    },
  });
