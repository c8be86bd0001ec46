// What the extension host prints reaches the launcher mixed with the workbench's own log; a mark tells them apart.

/** The environment variable that carries the mark into the extension host; unset in desktop VS Code, which needs none. */
export const markVariable = 'UNIFIED_MEDIA_TEST_OUTPUT';

/** The environment variable with the path of the repository: tests of the installed package run elsewhere. */
export const repositoryVariable = 'UNIFIED_MEDIA_REPOSITORY';

/** The environment variable that says in which folder below test/integration the tests to run are. */
export const testsVariable = 'UNIFIED_MEDIA_TESTS';

export const mark = '\u001e';
