// new 0
// new 1
// new 2
// new 3
// new 4
// new 5
// new 6
// new 7
// new 8
int a;
#endif

int b;
int c;
#endif
check();

row 0
row 1
row 2
row 3
row 4
row 5
row 6
row 7
row 8
row 9
row 10
row 11
row 12
row 13
row 14
row 15
row 16
row 17
row 18
row 19
last
end
