import type { Texts } from '../language.ts';

/** Texts of /share for the folder's owner: the receipt, Revoke and Extend. Names come escaped. */

interface ReceiptTexts {
  readonly shared: (name: string) => string;
  /** No card was posted. */
  readonly unheard: string;
  readonly alone: string;
  /** Who gets in. */
  readonly byLink: (link: string) => string;
  readonly seesByLink: string;
  readonly byCard: (who: string) => string;
  readonly nobody: string;
  readonly clicker: string;
  readonly member: (person: string) => string;
  readonly members: string;
  readonly membersElsewhere: (servers: number) => string;
  readonly more: (people: number) => string;
  readonly nowRestricted: string;
  /** Who can read the files. */
  readonly plain: string;
  readonly deposited: (until: string) => string;
  readonly keyless: string;
  readonly revoked: string;
  readonly ends: (relative: string) => string;
  readonly copy: string;
  readonly extend: string;
  readonly revoke: string;
  /** Revoke. */
  readonly questionLink: (name: string) => string;
  readonly questionPlain: (name: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly closedLink: (name: string) => string;
  readonly closedPlain: (name: string) => string;
  readonly kept: string;
  /** Extend. */
  readonly extendTitle: string;
  readonly hours: string;
  readonly hoursHint: (most: string) => string;
  readonly longest: (name: string, at: string) => string;
  readonly badHours: (least: string, most: string) => string;
}

export const RECEIPT_TEXTS: Texts<ReceiptTexts> = {
  en: {
    shared: (name) => `**${name}** is shared here.`,
    unheard:
      'Only you see this: in this server, the apps that you bring along may not speak to everybody. So there is no card, and nothing about the folder has changed.',
    alone:
      'Nobody but you is here, so there is no card, and nothing about the folder has changed. Use /share where the others are.',
    byLink: (link) => `Whoever has the link gets in: ${link}`,
    seesByLink: 'Whoever has the link sees the folder; only the full link opens its files.',
    byCard: (who) => `The link alone opens nothing. By Open on a card come in: ${who}.`,
    nobody: 'The link alone opens nothing, and there is no card that lets anybody in.',
    clicker: 'whoever clicks on it',
    member: (person) => `${person} (as a member of the server)`,
    members: 'members of this server',
    membersElsewhere: (servers) =>
      servers === 1 ? 'members of another server' : `members of ${servers} other servers`,
    more: (people) => `${people} more`,
    nowRestricted:
      'Until now everybody with the link got in. That’s over: they are shut out, and cards from before open nothing any more.',
    plain: 'It isn’t encrypted: our server can read the files.',
    deposited: (until) => `Discord link: our server holds the key and can read the files, until ${until}.`,
    keyless:
      'It’s encrypted, and I don’t have the key. “Copy full link” takes you to the page that copies it, in a browser that has the key; then send it yourself.',
    revoked: 'Its link is revoked: nobody can open the files any more.',
    ends: (relative) => `Deletes itself ${relative}.`,
    copy: 'Copy full link',
    extend: 'Extend',
    revoke: 'Revoke',
    questionLink: (name) =>
      `Revoke the link of **${name}**? All cards are taken back, everybody is shut out, and nobody who comes later can open the files. The folder takes no more uploads. This can’t be undone, and whoever has opened it may have kept files and key.`,
    questionPlain: (name) =>
      `Shut everybody out of **${name}**? All cards are taken back, and the link opens nothing any more, except for you. What others have downloaded stays with them. You can share the folder anew.`,
    yes: 'Revoke',
    no: 'Cancel',
    closedLink: (name) => `The link of **${name}** is revoked. Nobody who comes now can open its files.`,
    closedPlain: (name) => `Nobody but you gets into **${name}** now.`,
    kept: 'Nothing has changed.',
    extendTitle: 'Extend',
    hours: 'Hours from now',
    hoursHint: (most) => `At most ${most}.`,
    longest: (name, at) => `**${name}** already lives as long as it can: until ${at}.`,
    badHours: (least, most) =>
      `Give a number of hours from ${least} to ${most}. The folder doesn’t end before that anyway.`,
  },
  de: {
    shared: (name) => `**${name}** ist hier geteilt.`,
    unheard:
      'Das siehst nur du: Auf diesem Server dürfen Apps, die du mitbringst, nicht zu allen sprechen. Darum gibt es keine Karte, und am Ordner hat sich nichts geändert.',
    alone:
      'Hier ist niemand außer dir. Darum gibt es keine Karte, und am Ordner hat sich nichts geändert. Gib /share dort ein, wo die anderen sind.',
    byLink: (link) => `Wer den Link hat, kommt hinein: ${link}`,
    seesByLink: 'Wer den Link hat, sieht den Ordner; die Dateien öffnet nur der volle Link.',
    byCard: (who) => `Der Link allein öffnet nichts. Über „Öffnen“ auf einer Karte kommen hinein: ${who}.`,
    nobody: 'Der Link allein öffnet nichts, und keine Karte lässt jemanden hinein.',
    clicker: 'alle, die darauf klicken',
    member: (person) => `${person} (als Mitglied des Servers)`,
    members: 'Mitglieder dieses Servers',
    membersElsewhere: (servers) =>
      servers === 1 ? 'Mitglieder eines anderen Servers' : `Mitglieder von ${servers} anderen Servern`,
    more: (people) => `${people} weitere`,
    nowRestricted:
      'Bisher kam jeder mit dem Link hinein. Das ist vorbei: Alle sind ausgesperrt, und frühere Karten öffnen nichts mehr.',
    plain: 'Er ist nicht verschlüsselt: Unser Server kann die Dateien lesen.',
    deposited: (until) => `Discord-Link: Unser Server hat den Schlüssel und kann die Dateien lesen, bis ${until}.`,
    keyless:
      'Er ist verschlüsselt, und ich habe den Schlüssel nicht. „Vollen Link kopieren“ bringt dich zur Seite, die ihn kopiert, in einem Browser, der den Schlüssel hat; verschick ihn dann selbst.',
    revoked: 'Der Link ist widerrufen: Niemand kann die Dateien noch öffnen.',
    ends: (relative) => `Löscht sich ${relative} selbst.`,
    copy: 'Vollen Link kopieren',
    extend: 'Verlängern',
    revoke: 'Widerrufen',
    questionLink: (name) =>
      `Den Link von **${name}** widerrufen? Alle Karten werden zurückgenommen, alle ausgesperrt, und wer später kommt, kann die Dateien nicht öffnen. Der Ordner nimmt nichts mehr an. Das lässt sich nicht rückgängig machen, und wer ihn geöffnet hat, kann Dateien und Schlüssel behalten haben.`,
    questionPlain: (name) =>
      `Alle aus **${name}** aussperren? Alle Karten werden zurückgenommen, und der Link öffnet nichts mehr, außer für dich. Was andere heruntergeladen haben, behalten sie. Du kannst den Ordner neu teilen.`,
    yes: 'Widerrufen',
    no: 'Abbrechen',
    closedLink: (name) => `Der Link von **${name}** ist widerrufen. Wer jetzt kommt, kann die Dateien nicht öffnen.`,
    closedPlain: (name) => `In **${name}** kommt jetzt niemand mehr außer dir.`,
    kept: 'Es hat sich nichts geändert.',
    extendTitle: 'Verlängern',
    hours: 'Stunden von jetzt an',
    hoursHint: (most) => `Höchstens ${most}.`,
    longest: (name, at) => `**${name}** lebt schon so lange wie möglich: bis ${at}.`,
    badHours: (least, most) =>
      `Gib eine Zahl von ${least} bis ${most} Stunden an. Vorher löscht sich der Ordner ohnehin nicht.`,
  },
  fr: {
    shared: (name) => `**${name}** est partagé ici.`,
    unheard:
      'Personne d’autre ne voit ceci : sur ce serveur, les applications que tu apportes ne peuvent pas parler à tout le monde. Il n’y a donc pas de carte, et rien n’a changé dans le dossier.',
    alone:
      'Il n’y a que toi ici : pas de carte, donc, et rien n’a changé dans le dossier. Utilise /share là où sont les autres.',
    byLink: (link) => `Toute personne qui a le lien peut entrer : ${link}`,
    seesByLink: 'Toute personne qui a le lien voit le dossier ; seul le lien complet ouvre ses fichiers.',
    byCard: (who) => `Le lien seul n’ouvre rien. Par « Ouvrir » sur une carte peuvent entrer : ${who}.`,
    nobody: 'Le lien seul n’ouvre rien, et aucune carte ne laisse entrer qui que ce soit.',
    clicker: 'quiconque clique dessus',
    member: (person) => `${person} (en tant que membre du serveur)`,
    members: 'les membres de ce serveur',
    membersElsewhere: (servers) =>
      servers === 1 ? 'les membres d’un autre serveur' : `les membres de ${servers} autres serveurs`,
    more: (people) => `${people} de plus`,
    nowRestricted:
      'Jusqu’ici, le lien suffisait pour entrer. C’est fini : il ne donne plus accès à personne, et les cartes d’avant n’ouvrent plus rien.',
    plain: 'Il n’est pas chiffré : notre serveur peut lire les fichiers.',
    deposited: (until) => `Lien Discord : notre serveur a la clé et peut lire les fichiers, jusqu’au ${until}.`,
    keyless:
      'Il est chiffré, et je n’ai pas la clé. « Copier le lien complet » t’amène à la page qui le copie, dans un navigateur qui a la clé ; envoie-le ensuite toi-même.',
    revoked: 'Son lien est révoqué : plus personne ne peut ouvrir les fichiers.',
    ends: (relative) => `Se supprime ${relative}.`,
    copy: 'Copier le lien complet',
    extend: 'Prolonger',
    revoke: 'Révoquer',
    questionLink: (name) =>
      `Révoquer le lien de **${name}** ? Toutes les cartes sont retirées, tout le monde perd l’accès, et les personnes qui viendront plus tard ne pourront pas ouvrir les fichiers. Le dossier n’accepte plus rien. C’est irréversible, et toute personne qui l’a ouvert a pu garder les fichiers et la clé.`,
    questionPlain: (name) =>
      `Retirer à tout le monde l’accès à **${name}** ? Toutes les cartes sont retirées, et le lien n’ouvre plus rien, sauf pour toi. Ce que d’autres ont téléchargé leur reste. Tu peux partager le dossier à nouveau.`,
    yes: 'Révoquer',
    no: 'Annuler',
    closedLink: (name) =>
      `Le lien de **${name}** est révoqué. Les personnes qui arrivent maintenant ne peuvent pas ouvrir ses fichiers.`,
    closedPlain: (name) => `Personne d’autre que toi n’entre plus dans **${name}**.`,
    kept: 'Rien n’a changé.',
    extendTitle: 'Prolonger',
    hours: 'Heures à partir de maintenant',
    hoursHint: (most) => `Au plus ${most}.`,
    longest: (name, at) => `**${name}** vit déjà aussi longtemps que possible : jusqu’au ${at}.`,
    badHours: (least, most) =>
      `Donne un nombre d’heures de ${least} à ${most}. Le dossier ne se supprime de toute façon pas avant.`,
  },
  es: {
    shared: (name) => `**${name}** está compartida aquí.`,
    unheard:
      'Esto solo lo ves tú: en este servidor, las aplicaciones que traes no pueden hablar a todo el mundo. Por eso no hay tarjeta, y en la carpeta no ha cambiado nada.',
    alone:
      'Aquí no hay nadie más que tú. Por eso no hay tarjeta, y en la carpeta no ha cambiado nada. Usa /share donde estén los demás.',
    byLink: (link) => `Entra quien tenga el enlace: ${link}`,
    seesByLink: 'Quien tiene el enlace ve la carpeta; sus archivos solo los abre el enlace completo.',
    byCard: (who) => `El enlace solo no abre nada. Con «Abrir» en una tarjeta pueden entrar: ${who}.`,
    nobody: 'El enlace solo no abre nada, y ninguna tarjeta deja entrar a nadie.',
    clicker: 'quien la pulse',
    member: (person) => `${person} (como miembro del servidor)`,
    members: 'miembros de este servidor',
    membersElsewhere: (servers) =>
      servers === 1 ? 'miembros de otro servidor' : `miembros de otros ${servers} servidores`,
    more: (people) => `${people} más`,
    nowRestricted:
      'Hasta ahora entraba quien tuviera el enlace. Se acabó: todos han quedado fuera, y las tarjetas de antes ya no abren nada.',
    plain: 'No está cifrada: nuestro servidor puede leer los archivos.',
    deposited: (until) =>
      `Enlace de Discord: nuestro servidor tiene la clave y puede leer los archivos, hasta el ${until}.`,
    keyless:
      'Está cifrada y yo no tengo la clave. «Copiar enlace completo» te lleva a la página que lo copia, en un navegador que tenga la clave; después envíalo tú.',
    revoked: 'Su enlace está revocado: ya nadie puede abrir los archivos.',
    ends: (relative) => `Se borra sola ${relative}.`,
    copy: 'Copiar enlace completo',
    extend: 'Prolongar',
    revoke: 'Revocar',
    questionLink: (name) =>
      `¿Revocar el enlace de **${name}**? Se retiran todas las tarjetas, todos quedan fuera y nadie que llegue después podrá abrir los archivos. La carpeta ya no admite más. No se puede deshacer, y quien la haya abierto puede haber guardado archivos y clave.`,
    questionPlain: (name) =>
      `¿Dejar a todos fuera de **${name}**? Se retiran todas las tarjetas, y el enlace ya no abre nada, salvo para ti. Lo que otros hayan descargado se lo quedan. Puedes volver a compartir la carpeta.`,
    yes: 'Revocar',
    no: 'Cancelar',
    closedLink: (name) => `El enlace de **${name}** está revocado. Quien llegue ahora no puede abrir sus archivos.`,
    closedPlain: (name) => `Ahora nadie más que tú entra en **${name}**.`,
    kept: 'No ha cambiado nada.',
    extendTitle: 'Prolongar',
    hours: 'Horas a partir de ahora',
    hoursHint: (most) => `Como mucho ${most}.`,
    longest: (name, at) => `**${name}** ya vive todo lo posible: hasta el ${at}.`,
    badHours: (least, most) =>
      `Indica un número de horas de ${least} a ${most}. De todos modos, la carpeta no se borra antes.`,
  },
};
