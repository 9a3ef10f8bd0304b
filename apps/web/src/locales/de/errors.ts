import type { Params } from '@satchel/contract/errors';
import { shownAbove } from '@satchel/contract/files/sizes';
import { bytes as sizeOf } from '../../lib/texts/amounts.ts';
import type { ErrorTexts } from '../../lib/texts/error-text.ts';

const orUnknown = ({ message }: Params) => message || 'Unbekannter Fehler';
const size = (bytes: string | number | undefined) => sizeOf(Number(bytes));

const wait = ({ retry_after_seconds: seconds }: Params) =>
  `Versuche es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} wieder`;

/** The contract's catalogue in German, row by row. */
export const ERROR_TEXTS: ErrorTexts = {
  'folder.not_found': () => 'Ordner nicht gefunden',
  'folder.changed': () =>
    'Der Server antwortet jetzt mit einem anderen Ordner. Dorthin wird nichts mehr gesendet. Frag den Besitzer, was sich geändert hat',
  'folder.not_as_asked': () =>
    'Der Server hat einen anderen Ordner angelegt als gewünscht. Dorthin wurde nichts hochgeladen. Versuche es noch einmal',
  'folder.load_failed': (p) => `Der Ordner konnte nicht geladen werden: ${orUnknown(p)}`,
  'folder.expired': () => 'Ordner abgelaufen',
  'folder.forbidden': () => 'Das kann nur der Besitzer des Ordners',
  'folder.slug_taken': () => 'Dieser Kurzname ist vergeben',
  'folder.foreign_owner': () => 'Einen Ordner kann man nur für sich selbst anlegen',
  'folder.lifetime': (p) => `Ein Ordner lebt höchstens ${p.hours} ${p.hours === 1 ? 'Stunde' : 'Stunden'}`,
  'folder.too_many': (p) =>
    `Du hast schon ${p.max} Ordner, und mehr kann ein Konto nicht haben. Lösche einen, oder warte, bis einer abläuft`,
  'folder.revoked': () =>
    'Der Link dieses Ordners wurde widerrufen, der Ordner nimmt nichts mehr auf. Lege einen neuen Ordner an',
  'folder.plain': () => 'Dieser Ordner ist nicht verschlüsselt, sein Link hat keinen Schlüssel',
  'folder.taken_down': (p) => `Dieser Ordner wurde gesperrt: ${p.reason}`,
  'files.load_failed': () => 'Die Dateien konnten nicht geladen werden',
  'key.not_found': () => 'Schlüssel nicht gefunden',
  'key.retrieval_failed': (p) => `${p.message || 'Schlüssel nicht gefunden'}`,
  'key.bad_length': (p) => `Ungültiger Schlüssel: erwartet werden 128 Hexadezimalzeichen, es sind ${p.length}`,
  'key.lifetime': (p) => `Der Server behält den Schlüssel eines Ordners höchstens ${p.hours} Stunden`,
  'key.passphrase_failed': () =>
    'Dieser Browser konnte die Passphrase nicht verarbeiten. Lade die Seite neu oder schließe andere Tabs, und versuche es noch einmal',
  'key.wrong_passphrase': (p) =>
    `Falsche Passphrase. Noch ${p.tries} ${p.tries === 1 ? 'Versuch' : 'Versuche'} in dieser Stunde`,
  'key.no_tries_left': (p) =>
    `Zu viele falsche Passphrasen. Versuche es in ${p.minutes} ${p.minutes === 1 ? 'Minute' : 'Minuten'} wieder`,
  'key.needs_link': () =>
    'Dieses Gerät hat keinen Schlüssel für diesen Ordner. Öffne den vollständigen Link auf diesem Gerät',
  'key.link_changed': () => 'Der Link dieses Ordners wurde inzwischen woanders geändert. Lade die Seite neu',
  'key.labels_changed': () => 'Die Dateien dieses Ordners ändern sich gerade zu schnell. Versuche es noch einmal',
  'key.ring_full': () => 'Der Link dieses Ordners wurde zu oft geändert. Lege einen neuen Ordner an',
  'key.unsealable': () => 'Dieser Link öffnet diesen Ordner nicht',
  'key.discord_now': () => 'Der Server sagt, dieser Ordner sei jetzt ein Discord-Link',
  'download.file_failed': (p) => `Die Datei ${p.name} konnte nicht geladen werden: ${orUnknown(p)}`,
  'download.failed_with': (p) => `Download fehlgeschlagen: ${p.message}`,
  'download.failed': () => 'Download fehlgeschlagen',
  'download.cut_short': (p) =>
    `${p.name} wurde nicht vollständig gespeichert (${size(p.deliveredBytes)} von ${size(p.sizeBytes)}). Lade die Datei noch einmal herunter`,
  'download.too_large_here': (p) =>
    `Dieses Fenster kann verschlüsselte Dateien nur bis ${size(p.maxBytes)} speichern. Öffne den Link in einem Fenster, das weder privat noch in einer App ist, oder in einem anderen Browser`,
  'download.zip_too_large_here': (p) =>
    `Dieser Browser kann höchstens ${size(p.maxBytes)} in eine Zip-Datei packen. Wähle weniger Dateien auf einmal`,
  'download.zip_cut': () => 'Die Zip-Datei wurde nicht vollständig gespeichert. Lade sie noch einmal herunter',
  'download.storage_failed': (p) => `Die Datei konnte nicht von Supabase geladen werden: ${p.message}`,
  'open.too_large_here': (p) =>
    `Dieser Browser kann verschlüsselte Dateien nur bis ${size(p.maxBytes)} zeigen. Lade sie herunter, um sie anderswo zu öffnen`,
  'open.failed': () => 'Entschlüsselung fehlgeschlagen',
  'open.import_keys': (p) => `Die Schlüssel konnten nicht gelesen werden: ${p.reason}`,
  'open.bad_version': (p) => `Unbekanntes Dateiformat: ${p.version}/${p.algorithm}`,
  'open.index_mismatch': (p) =>
    p.expected === undefined
      ? 'Falscher Abschnitt'
      : `Falscher Abschnitt: erwartet wurde ${p.expected}, gekommen ist ${p.got}`,
  'open.no_chunk_header': () => 'Datei beschädigt: Abschnittskopf unvollständig',
  'open.no_chunk': () => 'Datei beschädigt: Abschnitt unvollständig',
  'open.no_hmac': () => 'Datei beschädigt: Prüfsumme fehlt',
  'open.corrupted': () => 'Die Datei ist beschädigt oder abgeschnitten',
  'open.foreign': () => 'Nicht aus diesem Ordner',
  'open.bad_hmac': (p) => `Prüfung von Abschnitt ${p.chunk} fehlgeschlagen`,
  'open.chunk_failed': (p) => `Entschlüsselung von Abschnitt ${p.chunk} fehlgeschlagen`,
  'open.incomplete': (p) => `Unvollständig entschlüsselt: ${p.processed} von ${p.total} Abschnitten`,
  'open.size_mismatch': () => 'Die Größe am Ende stimmt nicht',
  'open.empty': () => 'Die entschlüsselte Datei ist leer',
  'seal.name_too_long': () => 'Der Dateiname ist zu lang. Benenne die Datei um und wähle sie noch einmal',
  'seal.path_too_long': () =>
    'Der Pfad dieser Datei ist zu lang oder zu tief. Verschiebe die Datei nach oben oder kürze die Namen, und wähle sie noch einmal',
  'seal.header_too_long': () =>
    'Name und Typ dieser Datei sind zu lang. Benenne die Datei um und wähle sie noch einmal',
  'upload.create_failed': (p) => `Der Upload konnte nicht begonnen werden: ${p.status} ${p.statusText}`,
  'upload.no_url': () => 'Der Server hat keine Upload-Adresse genannt',
  'upload.chunk_failed': (p) => `Ein Abschnitt konnte nicht hochgeladen werden: ${p.status} ${p.statusText}`,
  'upload.stream_size': () => 'Die Größe des Datenstroms stimmt nicht',
  'upload.size_required': () => 'Für Uploads aus einem ReadableStream muss uploadSize angegeben sein',
  'upload.no_header': () => 'Der Dateikopf wurde nicht erzeugt',
  'upload.unauthenticated': () => 'Zum Hochladen musst du angemeldet sein',
  'upload.too_large': (p) =>
    `Die Datei (${size(shownAbove(Number(p.sizeBytes), Number(p.maxBytes)))}) ist größer als erlaubt (${size(p.maxBytes)})`,
  'upload.type_not_allowed': (p) => `Dateityp „${p.type}“ ist nicht erlaubt. Erlaubte Typen: ${p.allowed || 'alle'}`,
  'upload.over_quota': (p) =>
    `Zu wenig Speicher: Dir bleiben noch ${size(p.freeBytes)}. Lösche Dateien oder einen Ordner, um Platz zu schaffen`,
  'upload.too_many_chosen': (p) =>
    `Höchstens ${p.max} Dateien werden auf einmal angenommen. Füge die anderen danach hinzu`,
  'upload.too_many_files': (p) =>
    `Mehr als ${p.max} ${p.max === 1 ? 'Datei' : 'Dateien'} passen nicht in einen Ordner. Lade die übrigen in einen anderen hoch`,
  'upload.too_many_open': (p) =>
    `Mehr als ${p.max} unfertige Uploads kann ein Konto nicht haben. Setze in deinem Profil Uploads fort, oder brich sie ab`,
  'upload.not_encrypted': () =>
    'Dieser Ordner nimmt nur verschlüsselte Dateien auf. Öffne seinen vollständigen Link und lade noch einmal hoch',
  'upload.not_found': () => 'Upload nicht gefunden',
  'upload.gone': () => 'Dieser Upload wurde abgebrochen oder ist abgelaufen. Beginne ihn noch einmal',
  'upload.wrong_offset': () => 'Upload-Offset stimmt nicht',
  'upload.locked': () => 'Der Upload ist gesperrt',
  'upload.bad_length': () => 'Upload-Length muss eine ganze Zahl sein',
  'upload.length_exceeded': () => 'Mehr Bytes, als Upload-Length nennt',
  'upload.bad_metadata': () => 'Upload-Metadata fehlt oder ist fehlerhaft',
  'upload.bad_version': () => 'Tus-Resumable muss 1.0.0 sein',
  'upload.bad_content_type': () => 'Content-Type muss application/offset+octet-stream sein',
  'upload.bad_offset': () => 'Upload-Offset muss eine ganze Zahl sein',
  'upload.bad_checksum': () => 'Upload-Checksum ist fehlerhaft oder ihr Verfahren wird nicht unterstützt',
  'upload.checksum_mismatch': () => 'Die Prüfsumme stimmt nicht',
  'upload.lost_lease': () => 'Eine andere Anfrage hat diesen Upload übernommen',
  'upload.not_plain': () =>
    'Dieses Gerät kennt diesen Ordner als verschlüsselt; unverschlüsselt wird nichts gesendet. Öffne den vollständigen Link auf diesem Gerät',
  'upload.elsewhere': () => 'Diese Datei wird in einem anderen Tab hochgeladen',
  'upload.changed_file': () => 'Die Datei wurde geändert, seit dieser Upload begann',
  'upload.denied': () =>
    'Der Betreiber dieser Website hat diese Datei entfernt; sie lässt sich nicht noch einmal hochladen',
  'upload.too_slow': () => 'Diese Anfrage war zu langsam. Setze den Upload fort',
  'upload.throttled': (p) => `Zu viele Anfragen. ${wait(p)}`,
  'storage.bucket_not_found': () => 'Bucket nicht gefunden',
  'storage.unseen': () => 'Dieser Name enthält unsichtbare Zeichen. Benenne die Datei um',
  'storage.bad_path': () => 'Ungültiger Objektpfad',
  'storage.not_found': () => 'Objekt nicht gefunden',
  'storage.exists': () => 'Ein Objekt dieses Namens gibt es schon',
  'storage.bad_range': () => 'Dieser Bereich ist nicht verfügbar',
  'storage.bad_token': () => 'Diese signierte Adresse gilt nicht',
  'storage.full': () => 'Der Server hat keinen Platz mehr. Versuche es später noch einmal',
  'storage.unavailable': (p) => `Der Server kann seinen Speicher gerade nicht benutzen. ${wait(p)}`,
  'storage.damaged': () => 'Der Server hat die Bytes dieser Datei verloren',
  'upload.site_full': () => 'Diese Website ist voll. Versuche es wieder, wenn andere Ordner abgelaufen sind',
  'auth.not_admitted': () => 'Diese Website ist für Mitglieder bestimmter Discord-Server, und du bist in keinem davon',
  'auth.account_not_admitted': () =>
    'Nur bestimmte Discord-Konten können sich hier anmelden, und deines gehört nicht dazu',
  'auth.closed': () => 'Diese Website nimmt zurzeit keine neuen Konten auf. Bestehende Konten können sich anmelden',
  'auth.required': () => 'Anmeldung erforderlich',
  'auth.failed': (p) => `Anmeldung fehlgeschlagen: ${p.message}`,
  'auth.cancelled': () => 'Anmeldung fehlgeschlagen: Du hast in Discord abgebrochen',
  'auth.unexpected': (p) => `Unerwarteter Fehler: ${p.message}`,
  'auth.bad_redirect': () => 'redirect_to ist kein Pfad dieser Website',
  'auth.banned': (p) => `Dieses Konto ist gesperrt: ${p.reason}`,
  'auth.not_for_devices': () => 'Eine Befehlszeile darf das nicht. Tu es auf der Website, in einem Browser',
  'device.wrong_code': () => 'Keine Befehlszeile wartet mit diesem Code. Vergleiche ihn mit dem in deinem Terminal',
  'device.over': () =>
    'Dieser Code gilt nicht mehr. Melde dich in deinem Terminal noch einmal an, um einen neuen zu bekommen',
  'grant.invalid': () => 'Diese Einladung gilt nicht mehr. Klicke in Discord noch einmal auf „Öffnen“',
  'auth.bad_provider': () => 'Dieser Anbieter wird nicht unterstützt',
  'profile.load_failed': () => 'Die Profildaten konnten nicht geladen werden',
  unexpected: () => 'Ein unerwarteter Fehler ist aufgetreten',
  'request.invalid': (p) => `Ungültige Anfrage: ${p.message}`,
  'intent.invalid': () => 'Dieser Link aus Discord gilt nicht mehr. Gib dort noch einmal /upload ein',
  'intent.foreign': () => 'Dieser Link ist für ein anderes Discord-Konto. Melde dich mit dem anderen Konto an',
  'interaction.unauthorized': () => 'Ungültige Signatur der Anfrage',
  'request.not_found': () => 'Nicht gefunden',
  'request.bad_origin': () => 'Diese Anfrage kommt nicht von dieser Website',
  'request.too_large': () => 'Die Anfrage ist zu groß',
  'request.unsupported_type': () => 'Dieser Inhaltstyp wird nicht unterstützt',
  'request.too_many': (p) => `Zu viele Anfragen. ${wait(p)}`,
  'request.timeout': () => 'Die Anfrage hat zu lange gebraucht',
  'profile.export_running': (p) => `Deine Daten werden schon exportiert. ${wait(p)}`,
  'request.crowded': (p) => `Zu viele Anfragen auf einmal aus deinem Netz. ${wait(p)}`,
  'request.busy': (p) => `Der Server ist ausgelastet. ${wait(p)}`,
  'request.unavailable': () => 'Versuche es gleich noch einmal',
};
