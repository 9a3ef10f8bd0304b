import type { Language, Texts } from '../language.ts';

/** Texts of /share: its cards, the answers to clicks on them, and refusals. Names come escaped. */

interface ShareTexts {
  /** On the card. */
  readonly sharedBy: (owner: string) => string;
  readonly onlyFor: (person: string) => string;
  readonly onlyMembers: string;
  readonly onlyForMember: (person: string) => string;
  readonly ends: (relative: string, at: string) => string;
  readonly plain: string;
  /** The server has the key. */
  readonly deposited: string;
  readonly keyless: string;
  readonly open: string;
  /** To the person who clicked Open. */
  readonly letIn: (name: string) => string;
  readonly keyFromOwner: string;
  readonly own: (name: string) => string;
  readonly inBrowser: string;
  /** The outcomes of a click (domain/sharing). */
  readonly gone: string;
  readonly foreign_person: string;
  readonly foreign_guild: string;
  readonly revoked: string;
  /** To the person who tried to share. */
  readonly withYourself: string;
  readonly noServer: string;
  readonly nothingToShare: (name: string) => string;
}

export const SHARE_TEXTS: Texts<ShareTexts> = {
  en: {
    sharedBy: (owner) => `Shared by ${owner}`,
    onlyFor: (person) => `Lets in ${person} alone`,
    onlyMembers: 'Lets in members of this server alone',
    onlyForMember: (person) => `Lets in ${person} alone, as a member of this server`,
    ends: (relative, at) => `Deletes itself ${relative} (${at})`,
    plain: 'Not encrypted',
    deposited: 'Encrypted. Open is all it takes: its owner lets our server hold the key.',
    keyless: 'Encrypted. The key is not on this card: its owner sends the full link.',
    open: 'Open',
    letIn: (name) =>
      `Here is your way into **${name}**. It lets in one browser, once, within five minutes. If it’s over, click Open again.`,
    keyFromOwner:
      'The files are encrypted, and I don’t have the key. Go in by this button, then open the full link that the owner sends you, in the same browser.',
    own: (name) => `**${name}** is your own folder: sign in in your browser, and you get in.`,
    inBrowser: 'Open in browser',
    gone: 'This card lets nobody in any more: its owner took it back, or the folder is gone.',
    foreign_person: 'This card is for somebody else. Ask whoever posted it to share the folder with you, too.',
    foreign_guild: 'This card lets in members of the server that it was posted in, and works only there.',
    revoked: 'The owner has revoked the link of this folder: nobody can open its files any more.',
    withYourself: 'You always get into your own folder. Name somebody else, or leave `with` out.',
    noServer: '`members_only` works in servers only: this place has no members that I could check.',
    nothingToShare: (name) =>
      `The link of **${name}** is revoked, so nobody could open its files. Make a new folder by /upload to share them again.`,
  },
  de: {
    sharedBy: (owner) => `Geteilt von ${owner}`,
    onlyFor: (person) => `Lässt nur ${person} hinein`,
    onlyMembers: 'Lässt nur Mitglieder dieses Servers hinein',
    onlyForMember: (person) => `Lässt nur ${person} hinein, als Mitglied dieses Servers`,
    ends: (relative, at) => `Löscht sich ${relative} selbst (${at})`,
    plain: 'Nicht verschlüsselt',
    deposited: 'Verschlüsselt. „Öffnen“ genügt: Unser Server darf den Schlüssel aufbewahren.',
    keyless:
      'Verschlüsselt. Der Schlüssel steht nicht auf dieser Karte: Den vollen Link schickt dir, wem der Ordner gehört.',
    open: 'Öffnen',
    letIn: (name) =>
      `Hier geht es zu **${name}**. Das lässt einen Browser hinein, einmal und innerhalb von fünf Minuten. Danach klick einfach noch einmal auf „Öffnen“.`,
    keyFromOwner:
      'Die Dateien sind verschlüsselt, und ich habe den Schlüssel nicht. Geh über diesen Knopf hinein und öffne dann im selben Browser den vollen Link, den du bekommst.',
    own: (name) => `**${name}** ist dein eigener Ordner: Melde dich im Browser an, dann kommst du hinein.`,
    inBrowser: 'Im Browser öffnen',
    gone: 'Diese Karte lässt niemanden mehr hinein: Sie wurde zurückgenommen, oder es gibt den Ordner nicht mehr.',
    foreign_person: 'Diese Karte ist für jemand anderen. Bitte darum, den Ordner auch mit dir zu teilen.',
    foreign_guild: 'Diese Karte lässt Mitglieder des Servers hinein, auf dem sie steht, und nur dort.',
    revoked: 'Der Link dieses Ordners wurde widerrufen: Niemand kann die Dateien noch öffnen.',
    withYourself: 'In deinen eigenen Ordner kommst du immer. Nenn jemand anderen, oder lass `with` weg.',
    noServer: '`members_only` geht nur auf Servern: Hier gibt es keine Mitglieder, die ich prüfen könnte.',
    nothingToShare: (name) =>
      `Der Link von **${name}** ist widerrufen, niemand könnte die Dateien öffnen. Leg mit /upload einen neuen Ordner an, um sie wieder zu teilen.`,
  },
  fr: {
    sharedBy: (owner) => `Partagé par ${owner}`,
    onlyFor: (person) => `Ne laisse entrer que ${person}`,
    onlyMembers: 'Ne laisse entrer que les membres de ce serveur',
    onlyForMember: (person) => `Ne laisse entrer que ${person}, en tant que membre de ce serveur`,
    ends: (relative, at) => `Se supprime ${relative} (${at})`,
    plain: 'Non chiffré',
    deposited: 'Chiffré. « Ouvrir » suffit : notre serveur a le droit de garder la clé.',
    keyless:
      'Chiffré. La clé n’est pas sur cette carte : c’est la personne à qui appartient le dossier qui envoie le lien complet.',
    open: 'Ouvrir',
    letIn: (name) =>
      `Voici l’entrée de **${name}**. Elle laisse passer un navigateur, une fois, pendant cinq minutes. Ensuite, clique de nouveau sur « Ouvrir ».`,
    keyFromOwner:
      'Les fichiers sont chiffrés, et je n’ai pas la clé. Entre par ce bouton, puis ouvre dans le même navigateur le lien complet qu’on t’envoie.',
    own: (name) => `**${name}** est ton propre dossier : connecte-toi dans ton navigateur, et tu y entres.`,
    inBrowser: 'Ouvrir dans le navigateur',
    gone: 'Cette carte ne laisse plus entrer personne : elle a été retirée, ou le dossier n’existe plus.',
    foreign_person: 'Cette carte est pour quelqu’un d’autre. Demande que le dossier soit aussi partagé avec toi.',
    foreign_guild: 'Cette carte laisse entrer les membres du serveur où elle a été postée, et seulement là.',
    revoked: 'Le lien de ce dossier a été révoqué : plus personne ne peut ouvrir ses fichiers.',
    withYourself: 'Tu entres toujours dans ton propre dossier. Nomme quelqu’un d’autre, ou retire `with`.',
    noServer: '`members_only` ne marche que sur un serveur : ici, il n’y a pas de membres que je puisse vérifier.',
    nothingToShare: (name) =>
      `Le lien de **${name}** est révoqué : personne ne pourrait ouvrir ses fichiers. Crée un nouveau dossier avec /upload pour les partager à nouveau.`,
  },
  es: {
    sharedBy: (owner) => `Compartida por ${owner}`,
    onlyFor: (person) => `Solo deja entrar a ${person}`,
    onlyMembers: 'Solo deja entrar a miembros de este servidor',
    onlyForMember: (person) => `Solo deja entrar a ${person}, como miembro de este servidor`,
    ends: (relative, at) => `Se borra sola ${relative} (${at})`,
    plain: 'Sin cifrar',
    deposited: 'Cifrada. Basta con «Abrir»: nuestro servidor puede guardar la clave.',
    keyless: 'Cifrada. La clave no está en esta tarjeta: el enlace completo lo envía quien la comparte.',
    open: 'Abrir',
    letIn: (name) =>
      `Por aquí se entra en **${name}**. Deja pasar a un navegador, una vez y durante cinco minutos. Si se agotan, pulsa «Abrir» otra vez.`,
    keyFromOwner:
      'Los archivos están cifrados y yo no tengo la clave. Entra con este botón y abre después, en el mismo navegador, el enlace completo que te envíen.',
    own: (name) => `**${name}** es tu propia carpeta: inicia sesión en tu navegador y entrarás.`,
    inBrowser: 'Abrir en el navegador',
    gone: 'Esta tarjeta ya no deja entrar a nadie: se ha retirado, o la carpeta ya no existe.',
    foreign_person: 'Esta tarjeta es para otra persona. Pide que compartan la carpeta también contigo.',
    foreign_guild: 'Esta tarjeta deja entrar a miembros del servidor en el que se publicó, y solo allí.',
    revoked: 'El enlace de esta carpeta se ha revocado: ya nadie puede abrir sus archivos.',
    withYourself: 'En tu propia carpeta entras siempre. Nombra a otra persona, o quita `with`.',
    noServer: '`members_only` solo funciona en servidores: aquí no hay miembros que yo pueda comprobar.',
    nothingToShare: (name) =>
      `El enlace de **${name}** está revocado, así que nadie podría abrir sus archivos. Crea una carpeta nueva con /upload para volver a compartirlos.`,
  },
};

/** Joins parts into a sentence: `A, B, and C`. */
export const listText = (parts: readonly string[], language: Language): string =>
  new Intl.ListFormat(language).format(parts);
