/** One skill as it was loaded. */
export interface Skill {
  /** In Unicode's NFC form. */
  readonly name: string;
  /** What the model reads before it asks for the skill. */
  readonly description: string;
  /** What the model reads once it has asked; line ends are `\n`. */
  readonly content: string;
  /** The content's tokens, estimated. */
  readonly tokens: number;
  /** The file it came from, inside the directory of skills. */
  readonly source: string;
}

/** The skills that are loaded, by name in NFC, in the order of their files. */
export type SkillMap = ReadonlyMap<string, Skill>;

/** Longer names crowd the menu, and a marker holds them. In UTF-16 units. */
export const maxSkillName = 100;

/** The form in which names are compared: `français` looks the same whether its ç is one character or two. */
export function normaliseSkillName(name: string): string {
  return name.trim().normalize('NFC');
}

/**
 * The skill of that name, or `undefined`. Nothing but the loaded map is looked at: what a model or an app writes is never
 * a path, nor a property of an object.
 */
export function findSkill(skills: SkillMap, name: string): Skill | undefined {
  // Twice the length leaves room for a decomposed spelling; beyond it nothing can be a name.
  return name.length > 2 * maxSkillName + 64 ? undefined : skills.get(normaliseSkillName(name));
}

/**
 * Why a text cannot be the name of a skill, or `undefined` where it can: it has to fit into a marker, which is one HTML
 * comment on one line.
 *
 * @param name in its normal form
 */
export function skillNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > maxSkillName) return `must be at most ${String(maxSkillName)} characters long`;
  if (/<!--|-->/.test(name)) return "must not hold '<!--' or '-->', which begin and end a comment";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'must be one line without control characters';
  return undefined;
}
