/** The version whose interface this is. */
export const VERSION = "2.47.3";
