import type { Params } from '@satchel/contract/errors';
import { shownAbove } from '@satchel/contract/files/sizes';
import { bytes as sizeOf } from '../../lib/texts/amounts.ts';
import type { ErrorTexts } from '../../lib/texts/error-text.ts';

const orUnknown = ({ message }: Params) => message || 'erreur inconnue';
const size = (bytes: string | number | undefined) => sizeOf(Number(bytes));

const wait = ({ retry_after_seconds: seconds }: Params) =>
  `Réessaie dans ${seconds} ${Number(seconds) > 1 ? 'secondes' : 'seconde'}`;

/** The contract's catalogue in French, row by row. */
export const ERROR_TEXTS: ErrorTexts = {
  'folder.not_found': () => 'Dossier introuvable',
  'folder.changed': () =>
    'Le serveur répond maintenant avec un autre dossier. Plus rien n’y est envoyé. Demande au propriétaire ce qui a changé',
  'folder.not_as_asked': () => 'Le serveur a créé un autre dossier que celui demandé. Rien n’y a été envoyé. Réessaie',
  'folder.load_failed': (p) => `Le dossier n’a pas pu être chargé : ${orUnknown(p)}`,
  'folder.expired': () => 'Dossier expiré',
  'folder.forbidden': () => 'Seule la personne à qui appartient ce dossier peut faire cela',
  'folder.slug_taken': () => 'Ce nom court est pris',
  'folder.foreign_owner': () => 'On ne peut créer un dossier que pour soi',
  'folder.lifetime': (p) => `Un dossier vit au plus ${p.hours} ${Number(p.hours) >= 2 ? 'heures' : 'heure'}`,
  'folder.too_many': (p) =>
    `Un compte ne peut pas avoir plus de ${p.max} ${Number(p.max) > 1 ? 'dossiers' : 'dossier'}. Supprime un dossier, ou attends que l’un d’eux expire`,
  'folder.revoked': () =>
    'Le lien de ce dossier a été révoqué : le dossier n’accepte plus d’envois. Crée un nouveau dossier',
  'folder.plain': () => 'Ce dossier n’est pas chiffré : son lien n’a pas de clé',
  'folder.taken_down': (p) => `Ce dossier a été retiré : ${p.reason}`,
  'files.load_failed': () => 'Les fichiers n’ont pas pu être chargés',
  'key.not_found': () => 'Clé introuvable',
  'key.retrieval_failed': (p) => `${p.message || 'Clé introuvable'}`,
  'key.bad_length': (p) => `Clé non valable : il faut 128 caractères hexadécimaux, il y en a ${p.length}`,
  'key.lifetime': (p) => `Le serveur garde la clé d’un dossier pendant ${p.hours} heures au plus`,
  'key.passphrase_failed': () =>
    'Ce navigateur n’a pas pu traiter la phrase secrète. Recharge la page ou ferme d’autres onglets, et réessaie',
  'key.wrong_passphrase': (p) =>
    `Mauvaise phrase secrète. Il te reste ${p.tries} ${Number(p.tries) > 1 ? 'essais' : 'essai'} pour cette heure`,
  'key.no_tries_left': (p) =>
    `Trop de mauvaises phrases secrètes. Réessaie dans ${p.minutes} ${Number(p.minutes) > 1 ? 'minutes' : 'minute'}`,
  'key.needs_link': () => 'Cet appareil n’a pas de clé pour ce dossier. Ouvre le lien complet sur cet appareil',
  'key.link_changed': () => 'Le lien de ce dossier a été changé ailleurs entre-temps. Recharge la page',
  'key.labels_changed': () => 'Les fichiers de ce dossier changent trop vite en ce moment. Réessaie',
  'key.ring_full': () => 'Le lien de ce dossier a été changé trop souvent. Crée un nouveau dossier',
  'key.unsealable': () => 'Ce lien n’ouvre pas ce dossier',
  'key.discord_now': () => 'Le serveur dit que ce dossier est maintenant un lien Discord',
  'download.file_failed': (p) => `Le fichier ${p.name} n’a pas pu être téléchargé : ${orUnknown(p)}`,
  'download.failed_with': (p) => `Le téléchargement a échoué : ${p.message}`,
  'download.failed': () => 'Le téléchargement a échoué',
  'download.cut_short': (p) =>
    `${p.name} n’a pas été enregistré en entier (${size(p.deliveredBytes)} sur ${size(p.sizeBytes)}). Télécharge-le à nouveau`,
  'download.too_large_here': (p) =>
    `Cette fenêtre ne peut enregistrer que des fichiers chiffrés de ${size(p.maxBytes)} au plus. Ouvre le lien dans une fenêtre qui n’est ni privée ni dans une application, ou dans un autre navigateur`,
  'download.zip_too_large_here': (p) =>
    `Ce navigateur peut mettre ${size(p.maxBytes)} au plus dans un zip. Choisis moins de fichiers à la fois`,
  'download.zip_cut': () => 'Le zip n’a pas été enregistré en entier. Télécharge-le à nouveau',
  'download.storage_failed': (p) => `Le fichier n’a pas pu être téléchargé de Supabase : ${p.message}`,
  'open.too_large_here': (p) =>
    `Ce navigateur ne peut montrer que des fichiers chiffrés de ${size(p.maxBytes)} au plus. Télécharge-le pour l’ouvrir ailleurs`,
  'open.failed': () => 'Le déchiffrement a échoué',
  'open.import_keys': (p) => `Les clés n’ont pas pu être lues : ${p.reason}`,
  'open.bad_version': (p) => `Format de fichier inconnu : ${p.version}/${p.algorithm}`,
  'open.index_mismatch': (p) =>
    p.expected === undefined ? 'Mauvais morceau' : `Mauvais morceau : ${p.expected} était attendu, ${p.got} est arrivé`,
  'open.no_chunk_header': () => 'Fichier endommagé : en-tête de morceau incomplet',
  'open.no_chunk': () => 'Fichier endommagé : morceau incomplet',
  'open.no_hmac': () => 'Fichier endommagé : somme de contrôle manquante',
  'open.corrupted': () => 'Le fichier est endommagé ou tronqué',
  'open.foreign': () => 'Pas de ce dossier',
  'open.bad_hmac': (p) => `La vérification du morceau ${p.chunk} a échoué`,
  'open.chunk_failed': (p) => `Le déchiffrement du morceau ${p.chunk} a échoué`,
  'open.incomplete': (p) => `Déchiffrement incomplet : ${p.processed} morceaux sur ${p.total}`,
  'open.size_mismatch': () => 'La taille finale ne correspond pas',
  'open.empty': () => 'Le fichier déchiffré est vide',
  'seal.name_too_long': () => 'Le nom du fichier est trop long. Renomme le fichier et choisis-le à nouveau',
  'seal.path_too_long': () =>
    'Le chemin du fichier est trop long ou trop profond. Remonte le fichier ou raccourcis les noms, et choisis-le à nouveau',
  'seal.header_too_long': () =>
    'Le nom et le type du fichier sont trop longs. Renomme le fichier et choisis-le à nouveau',
  'upload.create_failed': (p) => `L’envoi n’a pas pu commencer : ${p.status} ${p.statusText}`,
  'upload.no_url': () => 'Le serveur n’a pas donné d’adresse d’envoi',
  'upload.chunk_failed': (p) => `Un morceau n’a pas pu être envoyé : ${p.status} ${p.statusText}`,
  'upload.stream_size': () => 'La taille du flux ne correspond pas',
  'upload.size_required': () => 'uploadSize est obligatoire pour les envois depuis un ReadableStream',
  'upload.no_header': () => 'L’en-tête du fichier n’a pas été créé',
  'upload.unauthenticated': () => 'Il faut être connecté pour envoyer des fichiers',
  'upload.too_large': (p) =>
    `Le fichier (${size(shownAbove(Number(p.sizeBytes), Number(p.maxBytes)))}) dépasse la taille permise (${size(p.maxBytes)})`,
  'upload.type_not_allowed': (p) => `Le type « ${p.type} » n’est pas permis. Types permis : ${p.allowed || 'tous'}`,
  'upload.over_quota': (p) =>
    `Pas assez de stockage : il te reste ${size(p.freeBytes)}. Supprime des fichiers ou un dossier pour faire de la place`,
  'upload.too_many_chosen': (p) => `Au plus ${p.max} fichiers sont pris à la fois. Ajoute les autres ensuite`,
  'upload.too_many_files': (p) =>
    `Un dossier ne contient pas plus de ${p.max} ${Number(p.max) > 1 ? 'fichiers' : 'fichier'}. Mets les autres dans un autre dossier`,
  'upload.too_many_open': (p) =>
    `Un compte ne peut pas avoir plus de ${p.max} envois inachevés. Dans ton profil, reprends ou annule des envois`,
  'upload.not_encrypted': () =>
    'Ce dossier n’accepte que des fichiers chiffrés. Ouvre son lien complet et recommence l’envoi',
  'upload.not_found': () => 'Envoi introuvable',
  'upload.gone': () => 'Cet envoi a été annulé ou a expiré. Recommence-le',
  'upload.wrong_offset': () => 'Upload-Offset ne correspond pas',
  'upload.locked': () => 'L’envoi est verrouillé',
  'upload.bad_length': () => 'Upload-Length doit être un nombre entier',
  'upload.length_exceeded': () => 'Plus d’octets que n’en annonce Upload-Length',
  'upload.bad_metadata': () => 'Upload-Metadata manque ou est mal formé',
  'upload.bad_version': () => 'Tus-Resumable doit être 1.0.0',
  'upload.bad_content_type': () => 'Content-Type doit être application/offset+octet-stream',
  'upload.bad_offset': () => 'Upload-Offset doit être un nombre entier',
  'upload.bad_checksum': () => 'Upload-Checksum est mal formé, ou sa méthode n’est pas prise en charge',
  'upload.checksum_mismatch': () => 'La somme de contrôle ne correspond pas',
  'upload.lost_lease': () => 'Une autre requête a repris cet envoi',
  'upload.not_plain': () =>
    'Cet appareil connaît ce dossier comme chiffré : rien n’est envoyé sans chiffrement. Ouvre le lien complet sur cet appareil',
  'upload.elsewhere': () => 'Ce fichier est en cours d’envoi dans un autre onglet',
  'upload.changed_file': () => 'Le fichier a changé depuis le début de cet envoi',
  'upload.denied': () => 'L’exploitant de ce site a retiré ce fichier ; il ne peut pas être envoyé à nouveau',
  'upload.too_slow': () => 'Cette requête était trop lente. Reprends l’envoi',
  'upload.throttled': (p) => `Trop de requêtes. ${wait(p)}`,
  'storage.bucket_not_found': () => 'Bucket introuvable',
  'storage.unseen': () => 'Ce nom contient des caractères invisibles. Renomme le fichier',
  'storage.bad_path': () => 'Chemin d’objet non valable',
  'storage.not_found': () => 'Objet introuvable',
  'storage.exists': () => 'Un objet de ce nom existe déjà',
  'storage.bad_range': () => 'Cette plage n’est pas disponible',
  'storage.bad_token': () => 'Cette adresse signée n’est pas valable',
  'storage.full': () => 'Le serveur n’a plus de place. Réessaie plus tard',
  'storage.unavailable': (p) => `Le serveur ne peut pas utiliser son stockage pour le moment. ${wait(p)}`,
  'storage.damaged': () => 'Le serveur a perdu les octets de ce fichier',
  'upload.site_full': () => 'Ce site est plein. Réessaie quand d’autres dossiers auront expiré',
  'auth.not_admitted': () =>
    'Ce site est réservé aux membres de certains serveurs Discord, et tu n’es dans aucun d’eux',
  'auth.account_not_admitted': () =>
    'Seuls certains comptes Discord peuvent se connecter ici, et le tien n’en fait pas partie',
  'auth.closed': () =>
    'Ce site n’accepte pas de nouveaux comptes en ce moment. Les comptes existants peuvent se connecter',
  'auth.required': () => 'Connexion requise',
  'auth.failed': (p) => `La connexion a échoué : ${p.message}`,
  'auth.cancelled': () => 'La connexion a échoué : tu as annulé dans Discord',
  'auth.unexpected': (p) => `Erreur inattendue : ${p.message}`,
  'auth.bad_redirect': () => 'redirect_to n’est pas un chemin de ce site',
  'auth.banned': (p) => `Ce compte est exclu : ${p.reason}`,
  'auth.not_for_devices': () => 'Une ligne de commande n’a pas ce droit. Fais-le sur le site, dans un navigateur',
  'device.wrong_code': () => 'Aucune ligne de commande n’attend avec ce code. Compare-le à celui de ton terminal',
  'device.over': () => 'Ce code n’est plus valable. Reconnecte-toi dans ton terminal pour en obtenir un nouveau',
  'grant.invalid': () => 'Cette invitation n’est plus valable. Clique de nouveau sur « Ouvrir » dans Discord',
  'auth.bad_provider': () => 'Ce fournisseur n’est pas pris en charge',
  'profile.load_failed': () => 'Les données du profil n’ont pas pu être chargées',
  unexpected: () => 'Une erreur inattendue est survenue',
  'request.invalid': (p) => `Requête non valable : ${p.message}`,
  'intent.invalid': () => 'Ce lien de Discord n’est plus valable. Tape de nouveau /upload dans Discord',
  'intent.foreign': () => 'Ce lien est pour un autre compte Discord. Connecte-toi avec celui-là',
  'interaction.unauthorized': () => 'Signature de requête non valable',
  'request.not_found': () => 'Introuvable',
  'request.bad_origin': () => 'Cette requête ne vient pas de ce site',
  'request.too_large': () => 'La requête est trop grande',
  'request.unsupported_type': () => 'Ce type de contenu n’est pas pris en charge',
  'request.too_many': (p) => `Trop de requêtes. ${wait(p)}`,
  'request.timeout': () => 'La requête a pris trop de temps',
  'profile.export_running': (p) => `Tes données sont déjà en cours d’exportation. ${wait(p)}`,
  'request.crowded': (p) => `Trop de requêtes à la fois depuis ton réseau. ${wait(p)}`,
  'request.busy': (p) => `Le serveur est très occupé. ${wait(p)}`,
  'request.unavailable': () => 'Réessaie dans un instant',
};
