import type { Params } from '@satchel/contract/errors';
import { shownAbove } from '@satchel/contract/files/sizes';
import { bytes as sizeOf } from '../../lib/texts/amounts.ts';
import type { ErrorTexts } from '../../lib/texts/error-text.ts';

const orUnknown = ({ message }: Params) => message || 'error desconocido';
const size = (bytes: string | number | undefined) => sizeOf(Number(bytes));

const wait = ({ retry_after_seconds: seconds }: Params) =>
  `Inténtalo de nuevo en ${seconds} ${Number(seconds) === 1 ? 'segundo' : 'segundos'}`;

/** The contract's catalogue in Spanish, row by row. */
export const ERROR_TEXTS: ErrorTexts = {
  'folder.not_found': () => 'Carpeta no encontrada',
  'folder.changed': () =>
    'El servidor responde ahora con otra carpeta. Ya no se le envía nada. Pregunta al propietario qué ha cambiado',
  'folder.not_as_asked': () =>
    'El servidor creó una carpeta distinta de la pedida. No se ha subido nada a ella. Inténtalo de nuevo',
  'folder.load_failed': (p) => `No se ha podido cargar la carpeta: ${orUnknown(p)}`,
  'folder.expired': () => 'Carpeta caducada',
  'folder.forbidden': () => 'Eso solo puede hacerlo la persona propietaria de la carpeta',
  'folder.slug_taken': () => 'Este nombre corto ya está ocupado',
  'folder.foreign_owner': () => 'Una carpeta solo se puede crear para uno mismo',
  'folder.lifetime': (p) => `Una carpeta vive como mucho ${p.hours} ${Number(p.hours) === 1 ? 'hora' : 'horas'}`,
  'folder.too_many': (p) =>
    `Una cuenta no puede tener más de ${p.max} ${Number(p.max) === 1 ? 'carpeta' : 'carpetas'}. Borra una, o espera a que caduque alguna`,
  'folder.revoked': () =>
    'El enlace de esta carpeta se ha revocado: la carpeta no admite más subidas. Crea una carpeta nueva',
  'folder.plain': () => 'Esta carpeta no está cifrada, así que su enlace no tiene clave',
  'folder.taken_down': (p) => `Esta carpeta se ha retirado: ${p.reason}`,
  'files.load_failed': () => 'No se han podido cargar los archivos',
  'key.not_found': () => 'Clave no encontrada',
  'key.retrieval_failed': (p) => `${p.message || 'Clave no encontrada'}`,
  'key.bad_length': (p) => `Clave no válida: se esperan 128 caracteres hexadecimales, hay ${p.length}`,
  'key.lifetime': (p) => `El servidor guarda la clave de una carpeta como mucho ${p.hours} horas`,
  'key.passphrase_failed': () =>
    'Este navegador no ha podido procesar la contraseña. Recarga la página o cierra otras pestañas, e inténtalo de nuevo',
  'key.wrong_passphrase': (p) =>
    `Contraseña incorrecta. ${Number(p.tries) === 1 ? 'Queda 1 intento' : `Quedan ${p.tries} intentos`} en esta hora`,
  'key.no_tries_left': (p) =>
    `Demasiadas contraseñas incorrectas. Inténtalo de nuevo en ${p.minutes} ${Number(p.minutes) === 1 ? 'minuto' : 'minutos'}`,
  'key.needs_link': () =>
    'Este dispositivo no tiene clave para esta carpeta. Abre el enlace completo en este dispositivo',
  'key.link_changed': () => 'El enlace de esta carpeta se cambió en otro lugar entretanto. Vuelve a cargar la página',
  'key.labels_changed': () =>
    'Los archivos de esta carpeta cambian demasiado rápido en este momento. Inténtalo de nuevo',
  'key.ring_full': () => 'El enlace de esta carpeta se ha cambiado demasiadas veces. Crea una carpeta nueva',
  'key.unsealable': () => 'Este enlace no abre esta carpeta',
  'key.discord_now': () => 'El servidor dice que esta carpeta es ahora un enlace de Discord',
  'download.file_failed': (p) => `No se ha podido descargar el archivo ${p.name}: ${orUnknown(p)}`,
  'download.failed_with': (p) => `La descarga ha fallado: ${p.message}`,
  'download.failed': () => 'La descarga ha fallado',
  'download.cut_short': (p) =>
    `${p.name} no se ha guardado entero (${size(p.deliveredBytes)} de ${size(p.sizeBytes)}). Descárgalo otra vez`,
  'download.too_large_here': (p) =>
    `Esta ventana solo puede guardar archivos cifrados de hasta ${size(p.maxBytes)}. Abre el enlace en una ventana que no sea privada ni de una aplicación, o en otro navegador`,
  'download.zip_too_large_here': (p) =>
    `Este navegador puede meter como mucho ${size(p.maxBytes)} en un zip. Elige menos archivos a la vez`,
  'download.zip_cut': () => 'El zip no se ha guardado entero. Descárgalo otra vez',
  'download.storage_failed': (p) => `No se ha podido descargar el archivo de Supabase: ${p.message}`,
  'open.too_large_here': (p) =>
    `Este navegador solo puede mostrar archivos cifrados de hasta ${size(p.maxBytes)}. Descárgalo para abrirlo en otro sitio`,
  'open.failed': () => 'El descifrado ha fallado',
  'open.import_keys': (p) => `No se han podido leer las claves: ${p.reason}`,
  'open.bad_version': (p) => `Formato de archivo desconocido: ${p.version}/${p.algorithm}`,
  'open.index_mismatch': (p) =>
    p.expected === undefined
      ? 'Fragmento equivocado'
      : `Fragmento equivocado: se esperaba ${p.expected}, ha llegado ${p.got}`,
  'open.no_chunk_header': () => 'Archivo dañado: cabecera de fragmento incompleta',
  'open.no_chunk': () => 'Archivo dañado: fragmento incompleto',
  'open.no_hmac': () => 'Archivo dañado: falta la suma de comprobación',
  'open.corrupted': () => 'El archivo está dañado o cortado',
  'open.foreign': () => 'No es de esta carpeta',
  'open.bad_hmac': (p) => `La comprobación del fragmento ${p.chunk} ha fallado`,
  'open.chunk_failed': (p) => `El descifrado del fragmento ${p.chunk} ha fallado`,
  'open.incomplete': (p) => `Descifrado incompleto: ${p.processed} de ${p.total} fragmentos`,
  'open.size_mismatch': () => 'El tamaño final no coincide',
  'open.empty': () => 'El archivo descifrado está vacío',
  'seal.name_too_long': () => 'El nombre del archivo es demasiado largo. Cambia el nombre y elige el archivo otra vez',
  'seal.path_too_long': () =>
    'La ruta del archivo es demasiado larga o profunda. Sube el archivo de nivel o acorta los nombres, y elígelo otra vez',
  'seal.header_too_long': () =>
    'El nombre y el tipo de este archivo son demasiado largos. Cambia el nombre y elige el archivo otra vez',
  'upload.create_failed': (p) => `No se ha podido empezar la subida: ${p.status} ${p.statusText}`,
  'upload.no_url': () => 'El servidor no ha dado una dirección de subida',
  'upload.chunk_failed': (p) => `No se ha podido subir un fragmento: ${p.status} ${p.statusText}`,
  'upload.stream_size': () => 'El tamaño del flujo no coincide',
  'upload.size_required': () => 'uploadSize es obligatorio para subidas desde un ReadableStream',
  'upload.no_header': () => 'No se ha creado la cabecera del archivo',
  'upload.unauthenticated': () => 'Hay que iniciar sesión para subir archivos',
  'upload.too_large': (p) =>
    `El archivo (${size(shownAbove(Number(p.sizeBytes), Number(p.maxBytes)))}) supera el tamaño permitido (${size(p.maxBytes)})`,
  'upload.type_not_allowed': (p) => `El tipo «${p.type}» no está permitido. Tipos permitidos: ${p.allowed || 'todos'}`,
  'upload.over_quota': (p) =>
    `No hay almacenamiento suficiente: te quedan ${size(p.freeBytes)}. Borra archivos o una carpeta para liberar espacio`,
  'upload.too_many_chosen': (p) => `Se toman como máximo ${p.max} archivos a la vez. Añade los demás después`,
  'upload.too_many_files': (p) =>
    `En una carpeta no caben más de ${p.max} ${Number(p.max) === 1 ? 'archivo' : 'archivos'}. Pon los demás en otra carpeta`,
  'upload.too_many_open': (p) =>
    `Una cuenta no puede tener más de ${p.max} subidas sin terminar. Reanuda o cancela subidas en tu perfil`,
  'upload.not_encrypted': () =>
    'Esta carpeta solo admite archivos cifrados. Abre su enlace completo y súbelos de nuevo',
  'upload.not_found': () => 'Subida no encontrada',
  'upload.gone': () => 'Esta subida se canceló o ha caducado. Empiézala de nuevo',
  'upload.wrong_offset': () => 'Upload-Offset no coincide',
  'upload.locked': () => 'La subida está bloqueada',
  'upload.bad_length': () => 'Upload-Length debe ser un número entero',
  'upload.length_exceeded': () => 'Más bytes de los que indica Upload-Length',
  'upload.bad_metadata': () => 'Upload-Metadata falta o es incorrecto',
  'upload.bad_version': () => 'Tus-Resumable debe ser 1.0.0',
  'upload.bad_content_type': () => 'Content-Type debe ser application/offset+octet-stream',
  'upload.bad_offset': () => 'Upload-Offset debe ser un número entero',
  'upload.bad_checksum': () => 'Upload-Checksum es incorrecto, o su método no se admite',
  'upload.checksum_mismatch': () => 'La suma de comprobación no coincide',
  'upload.lost_lease': () => 'Otra petición se ha hecho cargo de esta subida',
  'upload.not_plain': () =>
    'Este dispositivo conoce esta carpeta como cifrada: nada se envía sin cifrar. Abre el enlace completo en este dispositivo',
  'upload.elsewhere': () => 'Este archivo se está subiendo en otra pestaña',
  'upload.changed_file': () => 'El archivo ha cambiado desde que empezó esta subida',
  'upload.denied': () => 'La administración de este sitio retiró este archivo; no se puede volver a subir',
  'upload.too_slow': () => 'Esta petición ha sido demasiado lenta. Reanuda la subida',
  'upload.throttled': (p) => `Demasiadas peticiones. ${wait(p)}`,
  'storage.bucket_not_found': () => 'Bucket no encontrado',
  'storage.unseen': () => 'Este nombre contiene caracteres invisibles. Cambia el nombre del archivo',
  'storage.bad_path': () => 'Ruta de objeto no válida',
  'storage.not_found': () => 'Objeto no encontrado',
  'storage.exists': () => 'Ya existe un objeto con este nombre',
  'storage.bad_range': () => 'Este intervalo no está disponible',
  'storage.bad_token': () => 'Esta dirección firmada no es válida',
  'storage.full': () => 'El servidor no tiene más espacio. Inténtalo más tarde',
  'storage.unavailable': (p) => `El servidor no puede usar su almacenamiento en este momento. ${wait(p)}`,
  'storage.damaged': () => 'El servidor ha perdido los bytes de este archivo',
  'upload.site_full': () => 'Este sitio está lleno. Inténtalo de nuevo cuando hayan caducado otras carpetas',
  'auth.not_admitted': () =>
    'Este sitio es para miembros de ciertos servidores de Discord, y no estás en ninguno de ellos',
  'auth.account_not_admitted': () =>
    'Solo ciertas cuentas de Discord pueden iniciar sesión aquí, y la tuya no es una de ellas',
  'auth.closed': () => 'Este sitio no admite cuentas nuevas por ahora. Las cuentas existentes pueden iniciar sesión',
  'auth.required': () => 'Hace falta iniciar sesión',
  'auth.failed': (p) => `El inicio de sesión ha fallado: ${p.message}`,
  'auth.cancelled': () => 'El inicio de sesión ha fallado: has cancelado en Discord',
  'auth.unexpected': (p) => `Error inesperado: ${p.message}`,
  'auth.bad_redirect': () => 'redirect_to no es una ruta de este sitio',
  'auth.banned': (p) => `Esta cuenta está excluida: ${p.reason}`,
  'auth.not_for_devices': () => 'Una línea de comandos no puede hacerlo. Hazlo en el sitio, en un navegador',
  'device.wrong_code': () => 'Ninguna línea de comandos espera con este código. Compáralo con el de tu terminal',
  'device.over': () => 'Este código ya no es válido. Inicia sesión otra vez en tu terminal para recibir uno nuevo',
  'grant.invalid': () => 'Esta invitación ya no es válida. Pulsa «Abrir» otra vez en Discord',
  'auth.bad_provider': () => 'Este proveedor no se admite',
  'profile.load_failed': () => 'No se han podido cargar los datos del perfil',
  unexpected: () => 'Ha ocurrido un error inesperado',
  'request.invalid': (p) => `Petición no válida: ${p.message}`,
  'intent.invalid': () => 'Este enlace de Discord ya no es válido. Escribe allí /upload otra vez',
  'intent.foreign': () => 'Este enlace es para otra cuenta de Discord. Inicia sesión con ella',
  'interaction.unauthorized': () => 'Firma de la petición no válida',
  'request.not_found': () => 'No encontrado',
  'request.bad_origin': () => 'Esta petición no viene de este sitio',
  'request.too_large': () => 'La petición es demasiado grande',
  'request.unsupported_type': () => 'Este tipo de contenido no se admite',
  'request.too_many': (p) => `Demasiadas peticiones. ${wait(p)}`,
  'request.timeout': () => 'La petición ha tardado demasiado',
  'profile.export_running': (p) => `Tus datos ya se están exportando. ${wait(p)}`,
  'request.crowded': (p) => `Demasiadas peticiones a la vez desde tu red. ${wait(p)}`,
  'request.busy': (p) => `El servidor está muy ocupado. ${wait(p)}`,
  'request.unavailable': () => 'Inténtalo de nuevo en un momento',
};
