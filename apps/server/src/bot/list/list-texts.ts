import type { LinkMode } from '@satchel/contract/entities';
import type { Texts } from '../language.ts';

/** Texts of /list. */

interface ListTexts {
  readonly title: string;
  /** The caller has no folders. */
  readonly empty: string;
  /** @param when a Discord timestamp, such as "in 3 hours" */
  readonly gone: (when: string) => string;
  readonly modes: Readonly<Record<LinkMode, string>>;
  readonly restricted: string;
  readonly pageOf: (page: number, pages: number, total: number) => string;
  readonly choose: string;
  readonly changed: string;
  readonly open: string;
  readonly share: string;
  readonly delete: string;
  readonly previous: string;
  readonly next: string;
}

export const LIST_TEXTS: Texts<ListTexts> = {
  en: {
    title: 'Your folders',
    empty: 'You have no folders right now. Make one with `/upload`.',
    gone: (when) => `gone ${when}`,
    modes: {
      plain: 'not encrypted',
      private: 'private link',
      discord: 'Discord link',
      revoked: 'link revoked',
    },
    restricted: 'only for those you let in',
    pageOf: (page, pages, total) => `Page ${page} of ${pages} · ${total} folders`,
    choose: 'Choose a folder',
    changed: 'That folder is not on this page any more. Please choose again.',
    open: 'Open',
    share: 'Share',
    delete: 'Delete',
    previous: 'Previous',
    next: 'Next',
  },
  de: {
    title: 'Deine Ordner',
    empty: 'Du hast gerade keine Ordner. Mit `/upload` machst du einen.',
    gone: (when) => `läuft ${when} ab`,
    modes: {
      plain: 'nicht verschlüsselt',
      private: 'privater Link',
      discord: 'Discord-Link',
      revoked: 'Link widerrufen',
    },
    restricted: 'nur für die, die du hereinlässt',
    pageOf: (page, pages, total) => `Seite ${page} von ${pages} · ${total} Ordner`,
    choose: 'Wähle einen Ordner',
    changed: 'Dieser Ordner ist nicht mehr auf dieser Seite. Bitte wähle noch einmal.',
    open: 'Öffnen',
    share: 'Teilen',
    delete: 'Löschen',
    previous: 'Zurück',
    next: 'Weiter',
  },
  fr: {
    title: 'Tes dossiers',
    empty: 'Tu n’as aucun dossier pour l’instant. Crées-en un avec `/upload`.',
    gone: (when) => `expire ${when}`,
    modes: {
      plain: 'non chiffré',
      private: 'lien privé',
      discord: 'lien Discord',
      revoked: 'lien révoqué',
    },
    restricted: 'seulement pour ceux que tu laisses entrer',
    pageOf: (page, pages, total) => `Page ${page} sur ${pages} · ${total} dossiers`,
    choose: 'Choisis un dossier',
    changed: 'Ce dossier n’est plus sur cette page. Choisis encore une fois.',
    open: 'Ouvrir',
    share: 'Partager',
    delete: 'Supprimer',
    previous: 'Précédent',
    next: 'Suivant',
  },
  es: {
    title: 'Tus carpetas',
    empty: 'Ahora no tienes ninguna carpeta. Crea una con `/upload`.',
    gone: (when) => `caduca ${when}`,
    modes: {
      plain: 'sin cifrar',
      private: 'enlace privado',
      discord: 'enlace de Discord',
      revoked: 'enlace revocado',
    },
    restricted: 'solo para quienes dejes entrar',
    pageOf: (page, pages, total) => `Página ${page} de ${pages} · ${total} carpetas`,
    choose: 'Elige una carpeta',
    changed: 'Esa carpeta ya no está en esta página. Elige otra vez.',
    open: 'Abrir',
    share: 'Compartir',
    delete: 'Borrar',
    previous: 'Anterior',
    next: 'Siguiente',
  },
};
