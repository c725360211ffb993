# A server as Perplex was in 1994 (Hauck 1994, 3; derived from Plexus, in Perl): it forks a process for each connection,
# which stays as long as the line is held. `perl perplex.pl FOLDER PORT` prints a line when it listens.
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my ($folder, $port) = @ARGV;
my $most_seconds = 20;
$SIG{CHLD} = 'IGNORE';
my $listener = IO::Socket::INET->new(LocalPort => $port, Listen => 128, ReuseAddr => 1)
    or die "port $port: $!";
$| = 1;
print "listening\n";
while (1) {
    my $line = $listener->accept or next;
    my $process = fork;
    if (defined $process && $process == 0) {
        close $listener;
        serve($line);
        exit 0;
    }
    close $line;
}

sub serve {
    my ($line) = @_;
    setsockopt($line, IPPROTO_TCP, TCP_NODELAY, 1);
    my $seconds = 30;
    my $taken = '';
    while (1) {
        while (index($taken, "\r\n\r\n") < 0) {
            my $waiting = '';
            vec($waiting, fileno($line), 1) = 1;
            return unless select($waiting, undef, undef, $seconds);
            return unless sysread($line, $taken, 8192, length $taken);
        }
        (my $head, $taken) = split /\r\n\r\n/, $taken, 2;
        my ($path) = $head =~ m{^GET (/\S*) };
        my $wants = $head =~ /^hold-line:\s*(\d*)/mi;
        $seconds = $wants && length $1 && $1 < $most_seconds ? $1 : $most_seconds;
        my ($status, $body) = ('404 Not Found', '');
        if (defined $path && $path !~ /\.\./) {
            $path .= 'index.html' if $path =~ m{/$};
            if (open(my $file, '<:raw', "$folder$path")) {
                local $/;
                ($status, $body) = ('200 OK', <$file>);
            }
        }
        my $type = defined $path && $path =~ /\.gif$/ ? 'image/gif' : 'text/html';
        my $hold = $wants ? "Hold-Line: $seconds\r\n" : '';
        print {$line} "HTTP/1.0 $status\r\nContent-Type: $type\r\nContent-Length: "
            . length($body) . "\r\n$hold\r\n$body";
        $line->flush;
        return unless $wants;
    }
}
