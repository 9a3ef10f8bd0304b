import type { Texts } from '../language.ts';

/** Texts of /delete. Names come escaped. */

interface DeleteTexts {
  readonly question: (name: string, content: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly deleted: (name: string) => string;
  readonly kept: string;
  readonly gone: string;
}

export const DELETE_TEXTS: Texts<DeleteTexts> = {
  en: {
    question: (name, content) =>
      `Delete **${name}** (${content})? Its files and its links are gone at once, for everybody. This can’t be undone.`,
    yes: 'Delete',
    no: 'Cancel',
    deleted: (name) => `**${name}** is deleted. Its links open nothing any more.`,
    kept: 'Nothing was deleted.',
    gone: 'This folder is gone already.',
  },
  de: {
    question: (name, content) =>
      `**${name}** (${content}) löschen? Dateien und Links sind dann sofort weg, für alle. Das lässt sich nicht rückgängig machen.`,
    yes: 'Löschen',
    no: 'Abbrechen',
    deleted: (name) => `**${name}** ist gelöscht. Die Links öffnen nichts mehr.`,
    kept: 'Es wurde nichts gelöscht.',
    gone: 'Diesen Ordner gibt es schon nicht mehr.',
  },
  fr: {
    question: (name, content) =>
      `Supprimer **${name}** (${content}) ? Ses fichiers et ses liens disparaissent aussitôt, pour tout le monde. C’est irréversible.`,
    yes: 'Supprimer',
    no: 'Annuler',
    deleted: (name) => `**${name}** est supprimé. Ses liens n’ouvrent plus rien.`,
    kept: 'Rien n’a été supprimé.',
    gone: 'Ce dossier n’existe déjà plus.',
  },
  es: {
    question: (name, content) =>
      `¿Borrar **${name}** (${content})? Sus archivos y sus enlaces desaparecen al instante, para todos. No se puede deshacer.`,
    yes: 'Borrar',
    no: 'Cancelar',
    deleted: (name) => `**${name}** está borrada. Sus enlaces ya no abren nada.`,
    kept: 'No se borró nada.',
    gone: 'Esta carpeta ya no existe.',
  },
};
