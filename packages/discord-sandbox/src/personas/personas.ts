/** As much of the user object of Discord's API v10 as applications read, as GET /users/@me answers it. */
export interface DiscordUser {
  id: string;
  username: string;
  discriminator: string;
  global_name: string | null;
  avatar: string | null;
  banner: string | null;
  accent_color: number | null;
  public_flags: number;
  locale: string;
  email: string | null;
  verified: boolean;
}

/** One of the people of the sandbox. */
export interface Persona {
  /** What `&persona=` takes. */
  name: string;
  /** What is particular about this persona, for the person who chooses one. */
  about: string;
  /** Its avatar and banner are files in `pictures/`, by kind, name and width. */
  user: DiscordUser;
}

const ordinary = {
  discriminator: '0',
  banner: null,
  accent_color: null,
  public_flags: 0,
  verified: true,
} as const;

const mika: Persona = {
  name: 'mika',
  about: 'An ordinary account',
  user: {
    ...ordinary,
    id: '9001934617452871681',
    username: 'mika.sandbox',
    global_name: 'Mika',
    avatar: '6f1c0a5b9de24e7883a1b0c94d57e2f3',
    locale: 'en-US',
    email: 'mika@sandbox.example',
  },
};

const jonas: Persona = {
  name: 'jonas',
  about: 'Another ordinary account',
  user: {
    ...ordinary,
    id: '9018264905173434370',
    username: 'jonas.sandbox',
    global_name: 'Jonas',
    avatar: 'c2e84d9017f3465aa95b3de6108f7b24',
    locale: 'de',
    email: 'jonas@sandbox.example',
  },
};

const ava: Persona = {
  name: 'ava',
  about: 'Animated avatar, banner, accent colour and badges',
  user: {
    ...ordinary,
    id: '9047382950617284611',
    username: 'ava.sandbox',
    global_name: 'Ava Lindqvist',
    avatar: 'a_39d1f7c86b2e4a05917e5cd84f60ab1c',
    banner: 'e07b5a94c1d24f36b8ea7d10592c6f83',
    accent_color: 0x8f5bd6,
    // Badges: HypeSquad Events, House Bravery, Early Supporter, Early Bot Developer, Active Developer.
    public_flags: 4 | 64 | 512 | 131_072 | 4_194_304,
    locale: 'sv-SE',
    email: 'ava@sandbox.example',
  },
};

const otto: Persona = {
  name: 'otto',
  about: 'No e-mail address, no display name, no avatar',
  user: {
    ...ordinary,
    id: '9104127365480972293',
    username: 'otto.sandbox',
    global_name: null,
    avatar: null,
    locale: 'en-GB',
    email: null,
    verified: false,
  },
};

const lena: Persona = {
  name: 'lena',
  about: 'An old account with a #1234 discriminator, no avatar',
  user: {
    ...ordinary,
    id: '9096351728405938180',
    username: 'lena',
    discriminator: '1234',
    global_name: 'Lena',
    avatar: null,
    locale: 'fr',
    email: 'lena@sandbox.example',
  },
};

/** Everybody there is. Their ids have times in the future, so that they can't be ids of people at Discord. */
export const personas: readonly Persona[] = [mika, jonas, ava, otto, lena];

/** @returns undefined where the sandbox has no persona of that name */
export function findPersona(name: string): Persona | undefined {
  return personas.find((persona) => persona.name === name);
}

/** @returns undefined where no persona has that Discord id */
export function findPersonaByUserId(id: string): Persona | undefined {
  return personas.find((persona) => persona.user.id === id);
}

/** What others see as the name of a person. */
export const nameOf = ({ user }: Persona): string => user.global_name ?? user.username;

/** Always the still picture: nothing on a page of choices should move. */
export function avatarPath({ user }: Persona): string {
  if (user.avatar !== null) return `/avatars/${user.id}/${user.avatar}.png?size=128`;
  // Discord's own picture: by discriminator in old accounts, else by id.
  const index = user.discriminator === '0' ? (BigInt(user.id) >> 22n) % 6n : Number(user.discriminator) % 5;
  return `/embed/avatars/${index}.png`;
}
