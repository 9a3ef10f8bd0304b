/** Limits of reports and of what operators say, apart from the schemas: a page needs these before it has anything to parse. */

/** Characters of a reporter's note. */
export const REPORT_NOTE_MAX = 1000;
/** Characters of an operator's reason, which the folder's or the account's people read. */
export const OPERATOR_REASON_MAX = 200;
