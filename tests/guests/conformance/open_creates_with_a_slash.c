// open with O_CREAT looks at no last name that ends in a slash, be it that of a link.
#include "check.h"

int main(void) {
  char longer[300] = "d/";
  memset(longer + 2, 'y', 276);
  longer[278] = '/';
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "");
  EXPECT_OK(symlink("f/", "link"));
  EXPECT_ERRNO(open("d/../", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_ERRNO(open("d/..", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_ERRNO(open("d/../", O_RDWR | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("/", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_ERRNO(open("/", O_RDWR | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("d/", O_RDWR | O_CREAT | O_EXCL, 0600), EISDIR);
  EXPECT_ERRNO(open("f/", O_RDWR | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open(longer, O_RDWR | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("link", O_RDWR | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("link", O_RDWR), ENOTDIR);
  EXPECT_ERRNO(open("link", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_ERRNO(open("link", O_RDWR | O_CREAT | O_NOFOLLOW, 0600), ELOOP);
  EXPECT_ERRNO(open("f/x/", O_RDWR | O_CREAT, 0600), ENOTDIR);
  EXPECT_ERRNO(open("none/x/", O_RDWR | O_CREAT, 0600), ENOENT);
  return ok();
}
