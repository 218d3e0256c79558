import { eachLine, type HouseRule, isPlanted, type Refusal } from './rule.ts';

/** The tree works on every machine: it names no home folder and no registry. */
export const machinePaths: HouseRule = {
  name: 'machine-paths',
  why: 'the repository must build from any folder and any npm registry',
  check({ files }) {
    const found: Refusal[] = [];
    for (const file of files) {
      if (file.path === 'package-lock.json' || isPlanted(file.path)) continue;
      eachLine(file.text, (line, number) => {
        const path = /(?<![\w.$}/-])\/(?:home|Users|root|work)\/[\w.-]+|\b[A-Z]:\\Users\\/.exec(line);
        if (path !== null)
          found.push({ path: file.path, line: number, what: `names the machine path ${path[0]}` });
        const host =
          /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|\bnpm\.pkg\.github\.com|^\s*(?:@[\w-]+:)?registry\s*=/.exec(
            line,
          );
        if (host !== null)
          found.push({ path: file.path, line: number, what: `names the registry ${host[0]}` });
      });
    }
    return found;
  },
};
