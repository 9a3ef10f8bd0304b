import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { FolderAccess, LinkMode } from '@satchel/contract/entities';
import { factsSeen, SIGHT_FACTS, type SightFact } from '@satchel/contract/server-sight';
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { ServerSight } from './server-sight.tsx';

/** "What the server can see", in every mode: each fact in the server's tables has a text, and no other fact has one. */

/** Text that states a fact. */
const WORDS: Readonly<Record<SightFact, RegExp>> = {
  contents: /Our server and everyone|our server holds this folder’s key and can read these files/i,
  key: /our server holds this folder’s key/,
  file_figures: /How many there are, how big they are and when they came\. Unfinished uploads/,
  stills: /Which files have a small preview picture/,
  file_names: /Their names and types/,
  folder: /Its name, description, short link and settings/,
  passphrase: /Whether there is a passphrase, and the wrong tries/,
  owner: /The Discord account: name, ID, pictures and e-mail address/,
  visits: /Views, downloads and new visitors/,
  visitors: /Who was signed in, when and how often\. Everyone else only under a pseudonym/,
  discord: /What \/upload was asked for, which people and servers \/share lets in/,
  reports: /What people report about it/,
  afterwards: /For 30 days its short link, so that it doesn’t lead to another folder/,
};

const FOLDERS = LinkMode.options.flatMap((folder_link_mode) =>
  FolderAccess.options.flatMap((folder_access) =>
    [true, false].map((hide_names) => ({ folder_link_mode, folder_access, hide_names })),
  ),
);

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory(), isServer: true });
const textOf = (folder: (typeof FOLDERS)[number]) =>
  renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <RouterContextProvider router={router}>
        <ServerSight folder={folder} />
      </RouterContextProvider>
    </I18nProvider>,
  ).replaceAll(/<[^>]+>/g, ' ');

describe.each(FOLDERS)('of a folder ($folder_link_mode, $folder_access, names hidden: $hide_names)', (folder) => {
  const text = textOf(folder);
  const facts = factsSeen({ link_mode: folder.folder_link_mode, hide_names: folder.hide_names });

  test.each(SIGHT_FACTS)('it says %s exactly if the server sees that', (fact) => {
    expect(WORDS[fact].test(text)).toBe(facts.has(fact));
  });

  test('it never denies what the server sees', () => {
    expect(/Our server can’t open the files/.test(text.replaceAll(/\s+/g, ' '))).toBe(!facts.has('contents'));
    expect(/Not the names and types/.test(text)).toBe(!facts.has('file_names'));
    expect(/may have kept the key/.test(text)).toBe(!facts.has('contents'));
  });

  test('it says what the server could do, what a link can’t prove, and who else can read an open folder', () => {
    expect(text).toMatch(/It could (change files, )?leave (files|some) out, or show an older list/);
    expect(
      /Everyone with the link has the folder’s keys\. With the help of one of them, the server could add a file\./.test(
        text,
      ),
    ).toBe(!facts.has('contents'));
    expect(/the server could still accept the old link on a device that never opened the folder/.test(text)).toBe(
      !facts.has('contents'),
    );
    const readers = folder.folder_access === 'restricted' ? /everyone who is let in/ : /everyone with the link/;
    expect(readers.test(text)).toBe(facts.has('contents'));
  });
});
