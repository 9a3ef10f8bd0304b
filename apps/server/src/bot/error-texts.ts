import { AppError, type ErrorCode } from '@satchel/contract/errors';
import type { Language, Texts } from './language.ts';
import { cut, plainText } from './wording.ts';

/** Error texts for people who use a command. */

type Params = AppError['params'];
type Sentence = string | ((params: Params) => string);

const REASON_MAX = 500;
/** The operator's own words. */
const reasonOf = ({ reason }: Params) => plainText(cut(String(reason), REASON_MAX));

interface ErrorTexts {
  /** For unexpected errors. */
  readonly generic: string;
  readonly unknownCommand: string;
  readonly unknownClick: string;
  /** An argument has a `#`, so perhaps a link's key. */
  readonly hash: string;
  readonly byCode: Readonly<Partial<Record<ErrorCode, Sentence>>>;
}

export const ERROR_TEXTS: Texts<ErrorTexts> = {
  en: {
    generic: 'That didn’t work. Try again in a moment.',
    unknownCommand: 'I don’t know this command any more. Type / to see the ones there are.',
    unknownClick: 'This message is too old for me to know what to do. Type the command again.',
    hash: 'What you typed has a #. The part of a link after the # is the key to a folder, and only people who may read it should have it. So I looked at none of it. Type it again without the #.',
    byCode: {
      'folder.not_found': 'I can’t find this folder. It may have been deleted. /list shows yours.',
      'folder.expired': 'This folder has expired.',
      'folder.forbidden': 'Only the owner of this folder can do this.',
      'folder.lifetime': (p) => `A folder lives for at most ${p.hours} hours.`,
      'folder.too_many': (p) =>
        `You have ${p.max} folders, which is as many as an account may have. Delete one with /delete, or wait until one expires.`,
      'folder.plain': 'This folder isn’t encrypted, so its link has no key.',
      'folder.taken_down': (p) => `The operator of this site has taken this folder down: ${reasonOf(p)}`,
      'key.lifetime': (p) => `The server keeps a folder’s key for at most ${p.hours} hours.`,
      'auth.banned': (p) => `The operator of this site has banned you from using it: ${reasonOf(p)}`,
      'request.invalid': 'I can’t use this value. Check it and try again.',
      'request.unavailable': 'That can’t be done just now. Try again in a moment.',
      'request.too_many': (p) => `That was too much at once. Try again in ${p.retry_after_seconds} s.`,
    },
  },
  de: {
    generic: 'Das hat nicht geklappt. Versuch es gleich noch einmal.',
    unknownCommand: 'Diesen Befehl kenne ich nicht mehr. Tippe /, um zu sehen, welche es gibt.',
    unknownClick:
      'Diese Nachricht ist so alt, dass ich nicht mehr weiß, was zu tun ist. Gib den Befehl noch einmal ein.',
    hash: 'In deiner Eingabe steht ein #. Der Teil eines Links nach dem # ist der Schlüssel zu einem Ordner, und nur wer ihn lesen darf, soll ihn haben. Darum habe ich mir nichts davon angesehen. Gib es noch einmal ohne # ein.',
    byCode: {
      'folder.not_found': 'Ich finde diesen Ordner nicht. Vielleicht wurde er gelöscht. /list zeigt dir deine.',
      'folder.expired': 'Dieser Ordner ist abgelaufen.',
      'folder.forbidden': 'Das kann nur, wem der Ordner gehört.',
      'folder.lifetime': (p) => `Ein Ordner lebt höchstens ${p.hours} Stunden.`,
      'folder.too_many': (p) =>
        `Du hast schon ${p.max} Ordner, und mehr kann ein Konto nicht haben. Lösch einen mit /delete, oder warte, bis einer abläuft.`,
      'folder.plain': 'Dieser Ordner ist nicht verschlüsselt, sein Link hat also keinen Schlüssel.',
      'folder.taken_down': (p) => `Wer diese Seite betreibt, hat den Ordner entfernt: ${reasonOf(p)}`,
      'key.lifetime': (p) => `Der Server behält den Schlüssel eines Ordners höchstens ${p.hours} Stunden.`,
      'auth.banned': (p) => `Wer diese Seite betreibt, hat dich von ihr ausgeschlossen: ${reasonOf(p)}`,
      'request.invalid': 'Mit diesem Wert kann ich nichts anfangen. Sieh ihn dir noch einmal an.',
      'request.unavailable': 'Das geht gerade nicht. Versuch es gleich noch einmal.',
      'request.too_many': (p) => `Das war zu viel auf einmal. Versuch es in ${p.retry_after_seconds} s noch einmal.`,
    },
  },
  fr: {
    generic: 'Ça n’a pas marché. Réessaie dans un instant.',
    unknownCommand: 'Je ne connais plus cette commande. Tape / pour voir celles qui existent.',
    unknownClick: 'Ce message est trop ancien pour que je sache quoi faire. Tape la commande à nouveau.',
    hash: 'Ton texte contient un #. Dans un lien, ce qui suit le # est la clé d’un dossier, et seules les personnes qui ont le droit de le lire doivent l’avoir. Je n’en ai donc rien lu. Recommence sans le #.',
    byCode: {
      'folder.not_found': 'Je ne trouve pas ce dossier. Il a peut-être été supprimé. /list affiche les tiens.',
      'folder.expired': 'Ce dossier a expiré.',
      'folder.forbidden': 'Seule la personne à qui appartient ce dossier peut faire cela.',
      'folder.lifetime': (p) => `Un dossier vit au plus ${p.hours} heures.`,
      'folder.too_many': (p) =>
        `Tu as ${p.max} dossiers : c’est le maximum pour un compte. Supprimes-en un avec /delete, ou attends qu’un autre expire.`,
      'folder.plain': 'Ce dossier n’est pas chiffré : son lien n’a pas de clé.',
      'folder.taken_down': (p) => `L’exploitant de ce site a retiré ce dossier : ${reasonOf(p)}`,
      'key.lifetime': (p) => `Le serveur garde la clé d’un dossier pendant ${p.hours} heures au plus.`,
      'auth.banned': (p) => `L’exploitant de ce site t’en a exclu : ${reasonOf(p)}`,
      'request.invalid': 'Je ne peux rien faire de cette valeur. Vérifie-la et réessaie.',
      'request.unavailable': 'C’est impossible pour le moment. Réessaie dans un instant.',
      'request.too_many': (p) => `C’était trop à la fois. Réessaie dans ${p.retry_after_seconds} s.`,
    },
  },
  es: {
    generic: 'No ha funcionado. Inténtalo de nuevo en un momento.',
    unknownCommand: 'Ya no conozco este comando. Escribe / para ver los que hay.',
    unknownClick: 'Este mensaje es demasiado antiguo y ya no sé qué hacer con él. Escribe el comando otra vez.',
    hash: 'Lo que has escrito tiene un #. Lo que sigue al # en un enlace es la clave de una carpeta, y solo deben tenerla quienes puedan leerla. Por eso no he mirado nada. Escríbelo otra vez sin el #.',
    byCode: {
      'folder.not_found': 'No encuentro esta carpeta. Puede que se haya borrado. /list muestra las tuyas.',
      'folder.expired': 'Esta carpeta ha caducado.',
      'folder.forbidden': 'Eso solo puede hacerlo la persona propietaria de la carpeta.',
      'folder.lifetime': (p) => `Una carpeta vive como mucho ${p.hours} horas.`,
      'folder.too_many': (p) =>
        `Ya tienes ${p.max} carpetas, el máximo de una cuenta. Borra una con /delete, o espera a que caduque alguna.`,
      'folder.plain': 'Esta carpeta no está cifrada, así que su enlace no tiene clave.',
      'folder.taken_down': (p) => `Quien administra este sitio ha retirado esta carpeta: ${reasonOf(p)}`,
      'key.lifetime': (p) => `El servidor guarda la clave de una carpeta como mucho ${p.hours} horas.`,
      'auth.banned': (p) => `Quien administra este sitio te ha excluido de él: ${reasonOf(p)}`,
      'request.invalid': 'No puedo usar este valor. Revísalo e inténtalo de nuevo.',
      'request.unavailable': 'Ahora mismo no se puede. Inténtalo de nuevo en un momento.',
      'request.too_many': (p) => `Ha sido demasiado de una vez. Inténtalo de nuevo en ${p.retry_after_seconds} s.`,
    },
  },
};

interface LateTexts {
  /** Replaces the thinking, when the answer is a public message. */
  readonly done: string;
  /** The deferral came first, so no form can open. */
  readonly form: string;
}

export const LATE_TEXTS: Texts<LateTexts> = {
  en: { done: 'Done.', form: 'That took too long to open a form. Click again.' },
  de: { done: 'Erledigt.', form: 'Das hat zu lange gedauert, um noch ein Formular zu öffnen. Klick noch einmal.' },
  fr: { done: 'C’est fait.', form: 'Il est trop tard pour ouvrir un formulaire. Clique à nouveau.' },
  es: { done: 'Hecho.', form: 'Ha tardado demasiado en abrir un formulario. Haz clic otra vez.' },
};

/** An error in words; null for an unexpected one. */
export function sentenceOf(error: unknown, language: Language): string | null {
  if (!(error instanceof AppError)) return null;
  const sentence = ERROR_TEXTS[language].byCode[error.code];
  if (sentence === undefined) return null;
  return typeof sentence === 'string' ? sentence : sentence(error.params);
}
