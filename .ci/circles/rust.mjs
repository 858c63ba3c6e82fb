/**
 * The imports between the files of one Rust crate: `use` and every path in the code, followed through
 * re-exports to the file that defines the name. An import between a module and its own child is none,
 * nor is a module's re-export of what lies anywhere below it and what it does not use itself.
 * Code for tests alone (`#[cfg(test)]`) is left out. A method is found by its type, so a call of one
 * is no import of the file with its `impl`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * @param {string} root file of the crate root, such as `src/lib.rs`
 * @returns {Map<string, Map<string, number>>} file → imported file → line of the first import
 */
export function rustImports(root) {
  const crate = new Module('crate', null, root);
  crate.read(dirname(root));
  const imports = new Map();
  const modules = [...crate.all()];
  for (const module of modules) {
    const targets = imports.get(module.file) ?? new Map();
    imports.set(module.file, targets);
    for (const { path, line, exported } of module.paths()) {
      for (const target of module.resolve(path)) {
        if (target.isModule || target.file === module.file || module.isNextTo(target.home)) continue;
        if (exported && !module.says(path.at(-1)) && target.home.isBelow(module)) continue;
        targets.set(target.file, Math.min(line, targets.get(target.file) ?? line));
      }
    }
  }
  return imports;
}

class Module {
  constructor(name, parent, file) {
    this.name = name;
    this.parent = parent;
    this.file = file;
    this.children = [];
    this.items = new Set();
    this.uses = [];
    this.globs = [];
    this.tokens = [];
  }

  *all() {
    yield this;
    for (const child of this.children) yield* child.all();
  }

  get crate() {
    return this.parent?.crate ?? this;
  }

  /** The module that the file is, above those written inside of it. */
  get ofFile() {
    return this.parent && this.parent.file === this.file ? this.parent.ofFile : this;
  }

  /** Whether one file is the module and the other one a child of it, either way round. */
  isNextTo(other) {
    const [mine, its] = [this.ofFile, other.ofFile];
    return mine.parent?.ofFile === its || its.parent?.ofFile === mine;
  }

  /** Whether its code has the name. */
  says(name) {
    return this.tokens.some((token) => token.word && token.text === name);
  }

  isBelow(other) {
    return this === other || (this.parent?.isBelow(other) ?? false);
  }

  /** Reads the file of this module; `folder` is where the files of its children lie. */
  read(folder) {
    this.items_of(withoutTests(tokenize(readFileSync(this.file, 'utf8'))), folder, dirname(this.file));
  }

  items_of(tokens, folder, own_folder) {
    let named;
    let exported = false;
    for (let at = 0; at < tokens.length; ) {
      const { text } = tokens[at];
      const next = tokens[at + 1]?.text;
      if (text === '#') {
        const end = closing(tokens, tokens[at + 1]?.text === '!' ? at + 2 : at + 1);
        const path = tokens.slice(at, end).findIndex((token) => token.text === 'path');
        if (path >= 0 && tokens[at + path + 1]?.text === '=') named = tokens[at + path + 2]?.string;
        at = end;
      } else if (text === 'pub') {
        exported = true;
        at = next === '(' ? closing(tokens, at + 1) : at + 1;
        continue;
      } else if (text === 'mod' && next !== undefined) {
        at = this.child(tokens, at, folder, own_folder, named);
        named = undefined;
      } else if (text === 'use') {
        at = this.use(tokens, at, exported);
      } else {
        const end = itemEnd(tokens, at);
        this.item(tokens.slice(at, end));
        at = end;
      }
      exported = false;
    }
  }

  child(tokens, at, folder, own_folder, named) {
    const name = tokens[at + 1].text;
    if (tokens[at + 2]?.text === '{') {
      const end = closing(tokens, at + 2);
      const inline = new Module(name, this, this.file);
      inline.items_of(tokens.slice(at + 3, end - 1), join(folder, name), join(own_folder, name));
      this.children.push(inline);
      return end;
    }
    const file = named === undefined
      ? [join(folder, `${name}.rs`), join(folder, name, 'mod.rs')].find((path) => existsSync(path))
      : join(own_folder, named);
    if (file === undefined) throw new Error(`${this.file}: module ${name} has no file`);
    const child = new Module(name, this, file);
    child.read(named !== undefined || basename(file) === 'mod.rs' ? dirname(file) : join(folder, name));
    this.children.push(child);
    return at + 3;
  }

  use(tokens, at, exported = false) {
    const end = tokens.findIndex((token, index) => index > at && token.text === ';');
    if (end < 0) throw new Error(`${this.file}:${tokens[at].line}: a use without an end`);
    this.tree(tokens.slice(at + 1, end), [], { line: tokens[at].line, exported });
    return end + 1;
  }

  /** One tree of a `use`: `a::b`, `a::{b, c as d}`, `a::*`. */
  tree(tokens, prefix, how) {
    const path = [...prefix];
    for (let at = 0; at < tokens.length; at += 1) {
      const { text } = tokens[at];
      if (text === '::') continue;
      if (text === '*') {
        this.globs.push({ path, ...how });
        return;
      }
      if (text === '{') {
        for (const part of split(tokens.slice(at + 1, closing(tokens, at) - 1))) this.tree(part, path, how);
        return;
      }
      if (text === 'as') {
        this.uses.push({ path, name: tokens[at + 1].text, ...how });
        return;
      }
      if (text !== 'self' || path.length === 0) path.push(text);
    }
    if (path.length > 0) this.uses.push({ path, name: path.at(-1), ...how });
  }

  /** An item that is no module and no `use`: its name, and the code in which paths are looked for. */
  item(tokens) {
    const named = tokens.findIndex(({ text }) => naming.has(text));
    // An `impl` and a call of a macro define no name of their own.
    const first = tokens.find(({ text }) => text === 'impl' || naming.has(text) || text === '!')?.text;
    if (named >= 0 && naming.has(first)) {
      let name = named + 1;
      // `const fn`, `static mut`, `unsafe trait`, `macro_rules!`.
      while (naming.has(tokens[name]?.text) || ['mut', '!', 'unsafe', 'extern'].includes(tokens[name]?.text)) name += 1;
      if (tokens[name]?.word) this.items.add(tokens[name].text);
    }
    for (let at = 0; at < tokens.length; at += 1) {
      if (tokens[at].text === 'use' && tokens[at + 1]?.word) at = this.use(tokens, at) - 1;
      else this.tokens.push(tokens[at]);
    }
  }

  /** Every path that this module says, in a `use` or in its code. */
  *paths() {
    yield* this.uses;
    for (let at = 0; at < this.tokens.length; at += 1) {
      const before = this.tokens[at - 1]?.text;
      if (!this.tokens[at].word || before === '.' || before === '::') continue;
      const path = [this.tokens[at].text];
      let end = at;
      while (this.tokens[end + 1]?.text === '::' && this.tokens[end + 2]?.word) {
        path.push(this.tokens[end + 2].text);
        end += 2;
      }
      // A single name is one of this module's own imports, but where a glob brought it.
      if (path.length > 1 || this.globs.length > 0) yield { path, line: this.tokens[at].line };
    }
  }

  /** What a path may name: modules, or the files that define an item. */
  resolve(path, seen = new Set()) {
    const [first, ...rest] = path;
    if (first === 'crate') return this.crate.within(rest, seen);
    if (first === 'self') return this.within(rest, seen);
    if (first === 'super') return this.parent ? this.parent.within(rest, seen) : [];
    return this.within(path, seen);
  }

  within(path, seen) {
    if (path.length === 0) return [{ isModule: true, home: this, file: this.file }];
    if (path[0] === 'super') return this.parent ? this.parent.within(path.slice(1), seen) : [];
    const [name, ...rest] = path;
    const found = this.named(name, seen);
    const items = found.filter((target) => !target.isModule);
    const modules = found.filter((target) => target.isModule);
    // A module and a function may have one name: what is followed by a segment is the module.
    if (rest.length === 0) return items.length > 0 ? items : modules;
    return modules.length > 0 ? modules.flatMap(({ home }) => home.within(rest, seen)) : items;
  }

  /** What a name means in this module. */
  named(name, seen) {
    const key = `${this.crate.file} ${this.path} ${name}`;
    if (seen.has(key)) return [];
    const deeper = new Set(seen).add(key);
    const found = this.children
      .filter((child) => child.name === name)
      .map((child) => ({ isModule: true, home: child, file: child.file }));
    if (this.items.has(name)) found.push({ isModule: false, home: this, file: this.file });
    for (const use of this.uses) {
      if (use.name === name) found.push(...this.resolve(use.path, deeper));
    }
    if (found.length > 0) return found;
    return this.globs.flatMap(({ path }) =>
      this.resolve(path, deeper)
        .filter((target) => target.isModule)
        .flatMap(({ home }) => home.named(name, deeper)),
    );
  }

  get path() {
    return this.parent ? `${this.parent.path}::${this.name}` : this.name;
  }
}

const naming = new Set(['fn', 'struct', 'enum', 'union', 'trait', 'type', 'const', 'static', 'macro_rules']);
const items = new Set([...naming, 'mod', 'use', 'impl', 'async', 'unsafe', 'extern', 'let', 'pub']);
const opening = { '(': ')', '[': ']', '{': '}' };

/** Words, `::` and single signs; comments, strings, numbers and lifetimes are no words. */
export function tokenize(source) {
  const pattern =
    /(\/\/[^\n]*)|(\/\*)|(b?r(#*)"[\s\S]*?"\4)|(b?"(?:\\[\s\S]|[^"\\])*")|(b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])')|('\w+)|(r#)?([A-Za-z_]\w*)|(\d[\w.]*?(?=\.\.|[^\w.]|$))|(::)|(\n)|(\S)/y;
  const tokens = [];
  let line = 1;
  let at = 0;
  while (at < source.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) {
      at += 1;
      continue;
    }
    let [text] = match;
    if (match[2]) text = source.slice(at, blockEnd(source, at));
    const string = match[3] ?? match[5];
    if (string) tokens.push({ text: '"', string: string.slice(string.indexOf('"') + 1, string.lastIndexOf('"')), line });
    else if (match[9]) tokens.push({ text: match[9], word: true, line });
    else if (match[10] || match[6]) tokens.push({ text: '0', line });
    else if (match[11] || match[13]) tokens.push({ text, line });
    line += text.split('\n').length - 1;
    at += text.length;
  }
  return tokens;
}

/** Where a block comment ends; they nest. */
function blockEnd(source, start) {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source.startsWith('/*', at)) {
      depth += 1;
      at += 1;
    } else if (source.startsWith('*/', at)) {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}

/** The tokens without what `#[cfg(test)]` stands before. */
function withoutTests(tokens) {
  const kept = [];
  for (let at = 0; at < tokens.length; ) {
    if (tokens[at].text !== '#' || tokens[at + 1]?.text !== '[') {
      kept.push(tokens[at]);
      at += 1;
      continue;
    }
    const end = closing(tokens, at + 1);
    if (isForTests(tokens.slice(at + 2, end - 1))) {
      at = itemEnd(tokens, end);
      continue;
    }
    kept.push(...tokens.slice(at, end));
    at = end;
  }
  return kept;
}

function isForTests(attribute) {
  const words = attribute.filter(({ word }) => word).map(({ text }) => text);
  return words[0] === 'cfg' && words.includes('test') && !words.includes('not') && !words.includes('any');
}

/** Where the item, field or arm at `at` ends, attributes before it included. */
function itemEnd(tokens, at) {
  let start = at;
  while (tokens[start]?.text === '#') start = closing(tokens, start + 1);
  const isItem = items.has(tokens[start]?.text);
  const isUse = tokens.slice(start, start + 6).some(({ text }) => text === 'use');
  for (let index = start; index < tokens.length; index += 1) {
    const { text } = tokens[index];
    if (text === ';' || (text === ',' && !isItem)) return index + 1;
    if ([')', ']', '}'].includes(text)) return Math.max(index, at + 1);
    if (text in opening) {
      index = closing(tokens, index) - 1;
      if (text === '{' && !isUse) return index + 1;
    }
  }
  return tokens.length;
}

/** Behind the bracket that closes the one at `at`. */
function closing(tokens, at) {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    const { text } = tokens[index];
    if (text in opening) depth += 1;
    else if ([')', ']', '}'].includes(text)) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return tokens.length;
}

/** At the commas outside of brackets. */
function split(tokens) {
  const parts = [[]];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at].text === ',') parts.push([]);
    else if (tokens[at].text in opening) {
      const end = closing(tokens, at);
      parts.at(-1).push(...tokens.slice(at, end));
      at = end - 1;
    } else parts.at(-1).push(tokens[at]);
  }
  return parts.filter((part) => part.length > 0);
}
