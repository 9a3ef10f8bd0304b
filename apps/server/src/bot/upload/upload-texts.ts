import type { Texts } from '../language.ts';

/** Texts of /upload. Names come escaped. */

interface UploadTexts {
  /** For an existing folder. */
  readonly existing: (name: string) => string;
  /** The folder's link was revoked. */
  readonly revoked: (name: string) => string;
  /** The folder has as many files as a folder may. */
  readonly full: (name: string, max: number) => string;
  /** Options for a new folder, given for an existing one. */
  readonly kept: string;
  /** `name` is null without one. */
  readonly sealed: (name: string | null, life: string) => string;
  readonly plain: (name: string | null, life: string) => string;
  /** To a person who has never signed in. */
  readonly signIn: string;
  readonly once: (until: string) => string;
  readonly willTell: string;
  readonly badName: (max: number) => string;
  /** A suggestion, while a name is typed that no folder has. */
  readonly newFolder: (name: string) => string;
  /** Once files are uploaded. */
  readonly done: (name: string, content: string, end: string) => string;
  readonly choose: string;
  readonly make: string;
  readonly open: string;
  readonly share: string;
  readonly delete: string;
}

export const UPLOAD_TEXTS: Texts<UploadTexts> = {
  en: {
    existing: (name) => `Choose the files for **${name}** in your browser.`,
    revoked: (name) =>
      `The link of **${name}** was revoked for good, so the folder takes no more files. Make a new one: \`/upload\` with another name.`,
    full: (name, max) =>
      `**${name}** holds ${max} ${max === 1 ? 'file' : 'files'}, which is as many as a folder may hold. Delete some in your browser, or make a new one: \`/upload\` with another name.`,
    kept: 'It is there already, so it keeps its protection and its end.',
    sealed: (name, life) =>
      `Your browser makes ${name === null ? 'the folder' : `**${name}**`} and its key, which I never see. It deletes itself after ${life}.`,
    plain: (name, life) =>
      `Your browser makes ${name === null ? 'the folder' : `**${name}**`}. **It is not encrypted**: our server, and whoever has the link, can read its files. It deletes itself after ${life}.`,
    signIn: 'You haven’t signed in to Satchel yet. The page asks you to, with this Discord account.',
    once: (until) => `The button is for you alone and works once; it ends ${until}.`,
    willTell: 'Once files are there, this message says so.',
    badName: (max) => `A folder’s name has at most ${max} characters.`,
    newFolder: (name) => `New folder: ${name}`,
    done: (name, content, end) => `**${name}** now holds ${content}. It deletes itself ${end}.`,
    choose: 'Choose files',
    make: 'Make the folder',
    open: 'Open',
    share: 'Share',
    delete: 'Delete',
  },
  de: {
    existing: (name) => `Wähle die Dateien für **${name}** in deinem Browser aus.`,
    revoked: (name) =>
      `Der Link von **${name}** wurde endgültig widerrufen, darum nimmt der Ordner keine Dateien mehr an. Leg einen neuen an: \`/upload\` mit einem anderen Namen.`,
    full: (name, max) =>
      `In **${name}** ${max === 1 ? 'liegt 1 Datei' : `liegen ${max} Dateien`}, und mehr passen in keinen Ordner. Lösch welche in deinem Browser, oder leg einen neuen Ordner an: \`/upload\` mit einem anderen Namen.`,
    kept: 'Den Ordner gibt es schon: Sein Schutz und sein Ende bleiben, wie sie sind.',
    sealed: (name, life) =>
      `Dein Browser legt ${name === null ? 'den Ordner' : `**${name}**`} samt Schlüssel an, und den Schlüssel bekomme ich nie zu sehen. Der Ordner lebt ${life}, dann löscht er sich selbst.`,
    plain: (name, life) =>
      `Dein Browser legt ${name === null ? 'den Ordner' : `**${name}**`} an. **Er wird nicht verschlüsselt**: Unser Server und alle, die den Link haben, können die Dateien lesen. Der Ordner lebt ${life}, dann löscht er sich selbst.`,
    signIn: 'Du hast dich noch nie bei Satchel angemeldet. Die Seite bittet dich darum, mit diesem Discord-Konto.',
    once: (until) => `Der Knopf ist nur für dich, geht ein einziges Mal und läuft ${until} ab.`,
    willTell: 'Sobald Dateien da sind, steht es hier.',
    badName: (max) => `Der Name eines Ordners hat höchstens ${max} Zeichen.`,
    newFolder: (name) => `Neuer Ordner: ${name}`,
    done: (name, content, end) => `In **${name}** liegen jetzt ${content}. Der Ordner löscht sich ${end}.`,
    choose: 'Dateien auswählen',
    make: 'Ordner anlegen',
    open: 'Öffnen',
    share: 'Teilen',
    delete: 'Löschen',
  },
  fr: {
    existing: (name) => `Choisis les fichiers de **${name}** dans ton navigateur.`,
    revoked: (name) =>
      `Le lien de **${name}** a été révoqué définitivement : le dossier n’accepte plus de fichiers. Crées-en un nouveau : \`/upload\` avec un autre nom.`,
    full: (name, max) =>
      `**${name}** contient ${max} ${max === 1 ? 'fichier' : 'fichiers'} : c’est le maximum pour un dossier. Supprimes-en dans ton navigateur, ou crées-en un nouveau : \`/upload\` avec un autre nom.`,
    kept: 'Ce dossier existe déjà : sa protection et sa fin restent les mêmes.',
    sealed: (name, life) =>
      `Ton navigateur crée ${name === null ? 'le dossier' : `**${name}**`} et sa clé, que je ne vois jamais. Le dossier se supprime au bout de ${life}.`,
    plain: (name, life) =>
      `Ton navigateur crée ${name === null ? 'le dossier' : `**${name}**`}. **Il n’est pas chiffré** : notre serveur et toutes les personnes qui ont le lien peuvent lire ses fichiers. Il se supprime au bout de ${life}.`,
    signIn: 'C’est ta première fois sur Satchel : la page te demande de te connecter, avec ce compte Discord.',
    once: (until) => `Le bouton n’est que pour toi, ne marche qu’une fois et expire ${until}.`,
    willTell: 'Dès que des fichiers y seront, ce message le dira.',
    badName: (max) => `Le nom d’un dossier compte au plus ${max} caractères.`,
    newFolder: (name) => `Nouveau dossier : ${name}`,
    done: (name, content, end) => `**${name}** contient maintenant ${content}. Le dossier se supprime ${end}.`,
    choose: 'Choisir des fichiers',
    make: 'Créer le dossier',
    open: 'Ouvrir',
    share: 'Partager',
    delete: 'Supprimer',
  },
  es: {
    existing: (name) => `Elige los archivos para **${name}** en tu navegador.`,
    revoked: (name) =>
      `El enlace de **${name}** se revocó para siempre, así que la carpeta ya no admite archivos. Crea una nueva: \`/upload\` con otro nombre.`,
    full: (name, max) =>
      `En **${name}** hay ${max} ${max === 1 ? 'archivo' : 'archivos'}, y es lo máximo que admite una carpeta. Borra alguno en tu navegador, o crea una nueva: \`/upload\` con otro nombre.`,
    kept: 'La carpeta ya existe: conserva su protección y su final.',
    sealed: (name, life) =>
      `Tu navegador crea ${name === null ? 'la carpeta' : `**${name}**`} y su clave, que yo nunca veo. La carpeta se borra sola al cabo de ${life}.`,
    plain: (name, life) =>
      `Tu navegador crea ${name === null ? 'la carpeta' : `**${name}**`}. **No se cifra**: nuestro servidor y cualquiera que tenga el enlace pueden leer sus archivos. Se borra sola al cabo de ${life}.`,
    signIn: 'Todavía no has iniciado sesión en Satchel. La página te lo pedirá, con esta cuenta de Discord.',
    once: (until) => `El botón es solo para ti, funciona una vez y caduca ${until}.`,
    willTell: 'Cuando los archivos estén ahí, este mensaje lo dirá.',
    badName: (max) => `El nombre de una carpeta tiene como máximo ${max} caracteres.`,
    newFolder: (name) => `Carpeta nueva: ${name}`,
    done: (name, content, end) => `En **${name}** hay ahora ${content}. La carpeta se borra sola ${end}.`,
    choose: 'Elegir archivos',
    make: 'Crear la carpeta',
    open: 'Abrir',
    share: 'Compartir',
    delete: 'Borrar',
  },
};
