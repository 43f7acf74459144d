/* SPDX-License-Identifier: MIT */
/* Does nothing: whatever a report counts of it was not the program. */
int main(void)
{
	return 0;
}
