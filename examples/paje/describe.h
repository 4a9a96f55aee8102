/* Descriptions of all commands and options, made from the tables that the help is made from. */
#pragma once

/* Prints a description by its name: man (a manual page), bash, zsh or fish (completion).  Returns 0 if there is no such
 * description. */
int paje_describe(const char *name);
