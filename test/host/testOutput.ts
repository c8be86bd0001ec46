// The output of the extension host reaches the launcher mixed with the workbench's log. A mark distinguishes them.

/** Environment variable that passes the mark to the extension host; unset in desktop VS Code, which needs none. */
export const markVariable = 'UNIFIED_MEDIA_TEST_OUTPUT';

/** Environment variable with the path of the repository, because tests of the installed package run elsewhere. */
export const repositoryVariable = 'UNIFIED_MEDIA_REPOSITORY';

/** Environment variable with the folder of test/integration whose tests to run. */
export const testsVariable = 'UNIFIED_MEDIA_TESTS';

export const mark = '\u001e';
